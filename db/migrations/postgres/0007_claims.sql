CREATE TABLE "claims" (
	"message_id" text PRIMARY KEY NOT NULL,
	"mailbox_id" text NOT NULL,
	"id" text NOT NULL,
	"owner" text,
	"expires_at" timestamp (3) with time zone,
	"claimed_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "claims_id_unique" UNIQUE("id")
);
--> statement-breakpoint
CREATE INDEX "claims_by_mailbox" ON "claims" USING btree ("mailbox_id","expires_at");