CREATE TABLE `mailbox_labels` (
	`id` text PRIMARY KEY NOT NULL,
	`mailbox_id` text NOT NULL,
	`workspace_id` text NOT NULL,
	`key` text NOT NULL,
	`value` text NOT NULL,
	FOREIGN KEY (`mailbox_id`) REFERENCES `mailboxes`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `mailbox_labels_by_value` ON `mailbox_labels` (`workspace_id`,`key`,`value`,`mailbox_id`);--> statement-breakpoint
CREATE INDEX `mailbox_labels_by_mailbox` ON `mailbox_labels` (`mailbox_id`);--> statement-breakpoint
ALTER TABLE `mailboxes` ADD `expires_at` integer;--> statement-breakpoint
ALTER TABLE `mailboxes` ADD `labels` text;--> statement-breakpoint
ALTER TABLE `mailboxes` ADD `client_id` text;--> statement-breakpoint
ALTER TABLE `mailboxes` ADD `messages_expire_in` integer;--> statement-breakpoint
ALTER TABLE `mailboxes` ADD `max_messages` integer;--> statement-breakpoint
CREATE UNIQUE INDEX `mailboxes_live_client` ON `mailboxes` (`workspace_id`,`client_id`) WHERE "mailboxes"."client_id" is not null and "mailboxes"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX `mailboxes_by_expiry` ON `mailboxes` (`expires_at`) WHERE "mailboxes"."expires_at" is not null and "mailboxes"."deleted_at" is null;--> statement-breakpoint
CREATE INDEX `mailboxes_with_limits` ON `mailboxes` (`id`) WHERE "mailboxes"."messages_expire_in" is not null or "mailboxes"."max_messages" is not null;--> statement-breakpoint
ALTER TABLE `tokens` ADD `expires_at` integer;--> statement-breakpoint
ALTER TABLE `tokens` ADD `mailboxes` text;