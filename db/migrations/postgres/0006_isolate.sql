CREATE TABLE "mailbox_labels" (
	"id" text PRIMARY KEY NOT NULL,
	"mailbox_id" text NOT NULL,
	"workspace_id" text NOT NULL,
	"key" text NOT NULL,
	"value" text NOT NULL
);
--> statement-breakpoint
ALTER TABLE "mailboxes" ADD COLUMN "expires_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "mailboxes" ADD COLUMN "labels" jsonb;--> statement-breakpoint
ALTER TABLE "mailboxes" ADD COLUMN "client_id" text;--> statement-breakpoint
ALTER TABLE "mailboxes" ADD COLUMN "messages_expire_in" integer;--> statement-breakpoint
ALTER TABLE "mailboxes" ADD COLUMN "max_messages" integer;--> statement-breakpoint
ALTER TABLE "tokens" ADD COLUMN "expires_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "tokens" ADD COLUMN "mailboxes" jsonb;--> statement-breakpoint
ALTER TABLE "mailbox_labels" ADD CONSTRAINT "mailbox_labels_mailbox_id_mailboxes_id_fk" FOREIGN KEY ("mailbox_id") REFERENCES "public"."mailboxes"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "mailbox_labels_by_value" ON "mailbox_labels" USING btree ("workspace_id","key","value","mailbox_id");--> statement-breakpoint
CREATE INDEX "mailbox_labels_by_mailbox" ON "mailbox_labels" USING btree ("mailbox_id");--> statement-breakpoint
CREATE UNIQUE INDEX "mailboxes_live_client" ON "mailboxes" USING btree ("workspace_id","client_id") WHERE "mailboxes"."client_id" is not null and "mailboxes"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "mailboxes_by_expiry" ON "mailboxes" USING btree ("expires_at") WHERE "mailboxes"."expires_at" is not null and "mailboxes"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX "mailboxes_with_limits" ON "mailboxes" USING btree ("id") WHERE "mailboxes"."messages_expire_in" is not null or "mailboxes"."max_messages" is not null;