CREATE TABLE "caught_recipients" (
	"id" text PRIMARY KEY NOT NULL,
	"message_id" text NOT NULL,
	"mailbox_id" text NOT NULL,
	"address" text NOT NULL,
	"received_at" timestamp (3) with time zone NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "smtp_credentials" (
	"id" text PRIMARY KEY NOT NULL,
	"mailbox_id" text NOT NULL,
	"name" text NOT NULL,
	"username" text NOT NULL,
	"password_hash" text NOT NULL,
	"password_set_at" timestamp (3) with time zone NOT NULL,
	"last_used_at" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "smtp_credentials_username_unique" UNIQUE("username")
);
--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "envelope_from" text;--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "envelope_to" jsonb;--> statement-breakpoint
ALTER TABLE "smtp_credentials" ADD CONSTRAINT "smtp_credentials_mailbox_id_mailboxes_id_fk" FOREIGN KEY ("mailbox_id") REFERENCES "public"."mailboxes"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "caught_recipients_by_address" ON "caught_recipients" USING btree ("mailbox_id","address","received_at","message_id","expires_at");--> statement-breakpoint
CREATE INDEX "caught_recipients_by_message" ON "caught_recipients" USING btree ("message_id");--> statement-breakpoint
CREATE INDEX "smtp_credentials_by_mailbox" ON "smtp_credentials" USING btree ("mailbox_id");