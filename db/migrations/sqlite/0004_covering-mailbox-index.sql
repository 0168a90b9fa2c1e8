CREATE INDEX `messages_by_mailbox` ON `messages` (`mailbox_id`,`received_at`,`id`,`expires_at`,`body_bytes`);--> statement-breakpoint
DROP INDEX `messages_by_arrival`;