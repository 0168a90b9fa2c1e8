CREATE TABLE `caught_recipients` (
	`id` text PRIMARY KEY NOT NULL,
	`message_id` text NOT NULL,
	`mailbox_id` text NOT NULL,
	`address` text NOT NULL,
	`received_at` integer NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `caught_recipients_by_address` ON `caught_recipients` (`mailbox_id`,`address`,`received_at`,`message_id`,`expires_at`);--> statement-breakpoint
CREATE INDEX `caught_recipients_by_message` ON `caught_recipients` (`message_id`);--> statement-breakpoint
CREATE TABLE `smtp_credentials` (
	`id` text PRIMARY KEY NOT NULL,
	`mailbox_id` text NOT NULL,
	`name` text NOT NULL,
	`username` text NOT NULL,
	`password_hash` text NOT NULL,
	`password_set_at` integer NOT NULL,
	`last_used_at` integer,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`mailbox_id`) REFERENCES `mailboxes`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `smtp_credentials_username_unique` ON `smtp_credentials` (`username`);--> statement-breakpoint
CREATE INDEX `smtp_credentials_by_mailbox` ON `smtp_credentials` (`mailbox_id`);--> statement-breakpoint
ALTER TABLE `messages` ADD `envelope_from` text;--> statement-breakpoint
ALTER TABLE `messages` ADD `envelope_to` text;