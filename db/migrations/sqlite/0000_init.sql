CREATE TABLE `attachments` (
	`id` text PRIMARY KEY NOT NULL,
	`mail_id` text NOT NULL,
	`position` integer NOT NULL,
	`filename` text,
	`content_type` text NOT NULL,
	`size` integer NOT NULL,
	`blob_key` text,
	`content` blob,
	FOREIGN KEY (`mail_id`) REFERENCES `mails`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `attachments_by_mail` ON `attachments` (`mail_id`,`position`);--> statement-breakpoint
CREATE TABLE `mailboxes` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`name` text NOT NULL,
	`created_at` integer NOT NULL,
	`deleted_at` integer,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `mailboxes_live_name` ON `mailboxes` (`workspace_id`,`name`) WHERE "mailboxes"."deleted_at" is null;--> statement-breakpoint
CREATE TABLE `mails` (
	`id` text PRIMARY KEY NOT NULL,
	`ingest_id` text NOT NULL,
	`from_address` text NOT NULL,
	`from_name` text,
	`to_addresses` text NOT NULL,
	`cc_addresses` text NOT NULL,
	`subject` text NOT NULL,
	`message_id_header` text,
	`size` integer NOT NULL,
	`attachment_count` integer NOT NULL,
	`parse_error` text,
	`expires_at` integer NOT NULL,
	`raw_blob_key` text,
	`text_body` text,
	`html_body` text,
	`raw` blob
);
--> statement-breakpoint
CREATE UNIQUE INDEX `mails_ingest_id_unique` ON `mails` (`ingest_id`);--> statement-breakpoint
CREATE INDEX `mails_by_expiry` ON `mails` (`expires_at`);--> statement-breakpoint
CREATE TABLE `messages` (
	`id` text PRIMARY KEY NOT NULL,
	`mail_id` text NOT NULL,
	`mailbox_id` text NOT NULL,
	`tag` text,
	`recipient` text NOT NULL,
	`received_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`body_bytes` integer NOT NULL,
	FOREIGN KEY (`mail_id`) REFERENCES `mails`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`mailbox_id`) REFERENCES `mailboxes`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `messages_by_arrival` ON `messages` (`mailbox_id`,`received_at`,`id`);--> statement-breakpoint
CREATE INDEX `messages_by_expiry` ON `messages` (`mailbox_id`,`expires_at`);--> statement-breakpoint
CREATE INDEX `messages_by_mail` ON `messages` (`mail_id`);--> statement-breakpoint
CREATE TABLE `tokens` (
	`id` text PRIMARY KEY NOT NULL,
	`workspace_id` text NOT NULL,
	`name` text NOT NULL,
	`prefix` text NOT NULL,
	`hash` text NOT NULL,
	`key_id` text NOT NULL,
	`role` text NOT NULL,
	`last_used_at` integer,
	`created_at` integer NOT NULL,
	`revoked_at` integer,
	FOREIGN KEY (`workspace_id`) REFERENCES `workspaces`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `tokens_hash_unique` ON `tokens` (`hash`);--> statement-breakpoint
CREATE INDEX `tokens_by_workspace` ON `tokens` (`workspace_id`);--> statement-breakpoint
CREATE TABLE `webhooks` (
	`id` text PRIMARY KEY NOT NULL,
	`mailbox_id` text NOT NULL,
	`url` text NOT NULL,
	`active` integer NOT NULL,
	`secret` text NOT NULL,
	`created_at` integer NOT NULL,
	FOREIGN KEY (`mailbox_id`) REFERENCES `mailboxes`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `webhooks_by_mailbox` ON `webhooks` (`mailbox_id`);--> statement-breakpoint
CREATE TABLE `workspaces` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`domain` text NOT NULL,
	`plan` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `workspaces_domain_unique` ON `workspaces` (`domain`);