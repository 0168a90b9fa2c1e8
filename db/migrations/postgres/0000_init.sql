CREATE TABLE "attachments" (
	"id" text PRIMARY KEY NOT NULL,
	"mail_id" text NOT NULL,
	"position" integer NOT NULL,
	"filename" text,
	"content_type" text NOT NULL,
	"size" integer NOT NULL,
	"blob_key" text,
	"content" "bytea"
);
--> statement-breakpoint
CREATE TABLE "mailboxes" (
	"id" text PRIMARY KEY NOT NULL,
	"workspace_id" text NOT NULL,
	"name" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"deleted_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "mails" (
	"id" text PRIMARY KEY NOT NULL,
	"ingest_id" text NOT NULL,
	"from_address" text NOT NULL,
	"from_name" text,
	"to_addresses" jsonb NOT NULL,
	"cc_addresses" jsonb NOT NULL,
	"subject" text NOT NULL,
	"message_id_header" text,
	"size" integer NOT NULL,
	"attachment_count" integer NOT NULL,
	"parse_error" text,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"raw_blob_key" text,
	"text_body" text,
	"html_body" text,
	"raw" "bytea",
	CONSTRAINT "mails_ingest_id_unique" UNIQUE("ingest_id")
);
--> statement-breakpoint
CREATE TABLE "messages" (
	"id" text PRIMARY KEY NOT NULL,
	"mail_id" text NOT NULL,
	"mailbox_id" text NOT NULL,
	"tag" text,
	"recipient" text NOT NULL,
	"received_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	"body_bytes" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tokens" (
	"id" text PRIMARY KEY NOT NULL,
	"workspace_id" text NOT NULL,
	"name" text NOT NULL,
	"prefix" text NOT NULL,
	"hash" text NOT NULL,
	"key_id" text NOT NULL,
	"role" text NOT NULL,
	"last_used_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	"revoked_at" timestamp (3) with time zone,
	CONSTRAINT "tokens_hash_unique" UNIQUE("hash")
);
--> statement-breakpoint
CREATE TABLE "webhooks" (
	"id" text PRIMARY KEY NOT NULL,
	"mailbox_id" text NOT NULL,
	"url" text NOT NULL,
	"active" boolean NOT NULL,
	"secret" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "workspaces" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"domain" text NOT NULL,
	"plan" text NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "workspaces_domain_unique" UNIQUE("domain")
);
--> statement-breakpoint
ALTER TABLE "attachments" ADD CONSTRAINT "attachments_mail_id_mails_id_fk" FOREIGN KEY ("mail_id") REFERENCES "public"."mails"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "mailboxes" ADD CONSTRAINT "mailboxes_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "messages" ADD CONSTRAINT "messages_mail_id_mails_id_fk" FOREIGN KEY ("mail_id") REFERENCES "public"."mails"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "messages" ADD CONSTRAINT "messages_mailbox_id_mailboxes_id_fk" FOREIGN KEY ("mailbox_id") REFERENCES "public"."mailboxes"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tokens" ADD CONSTRAINT "tokens_workspace_id_workspaces_id_fk" FOREIGN KEY ("workspace_id") REFERENCES "public"."workspaces"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "webhooks" ADD CONSTRAINT "webhooks_mailbox_id_mailboxes_id_fk" FOREIGN KEY ("mailbox_id") REFERENCES "public"."mailboxes"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "attachments_by_mail" ON "attachments" USING btree ("mail_id","position");--> statement-breakpoint
CREATE UNIQUE INDEX "mailboxes_live_name" ON "mailboxes" USING btree ("workspace_id","name") WHERE "mailboxes"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "mails_by_expiry" ON "mails" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "messages_by_arrival" ON "messages" USING btree ("mailbox_id","received_at","id");--> statement-breakpoint
CREATE INDEX "messages_by_expiry" ON "messages" USING btree ("mailbox_id","expires_at");--> statement-breakpoint
CREATE INDEX "messages_by_mail" ON "messages" USING btree ("mail_id");--> statement-breakpoint
CREATE INDEX "tokens_by_workspace" ON "tokens" USING btree ("workspace_id");--> statement-breakpoint
CREATE INDEX "webhooks_by_mailbox" ON "webhooks" USING btree ("mailbox_id");