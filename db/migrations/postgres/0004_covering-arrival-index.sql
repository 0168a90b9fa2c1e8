DROP INDEX "messages_by_expiry";--> statement-breakpoint
DROP INDEX "messages_by_arrival";--> statement-breakpoint
CREATE INDEX "messages_by_arrival" ON "messages" USING btree ("mailbox_id","received_at","id","expires_at","body_bytes");