ALTER TABLE "mails" ADD COLUMN "details" jsonb;--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "facts" jsonb;