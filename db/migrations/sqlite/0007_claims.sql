CREATE TABLE `claims` (
	`message_id` text PRIMARY KEY NOT NULL,
	`mailbox_id` text NOT NULL,
	`id` text NOT NULL,
	`owner` text,
	`expires_at` integer,
	`claimed_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `claims_id_unique` ON `claims` (`id`);--> statement-breakpoint
CREATE INDEX `claims_by_mailbox` ON `claims` (`mailbox_id`,`expires_at`);