CREATE TABLE `deliveries` (
	`id` text PRIMARY KEY NOT NULL,
	`webhook_id` text NOT NULL,
	`message_id` text NOT NULL,
	`trigger` text NOT NULL,
	`redelivery_of` text,
	`state` text NOT NULL,
	`reason` text,
	`attempts` integer NOT NULL,
	`failures` integer NOT NULL,
	`interruptions` integer NOT NULL,
	`next_attempt_at` integer,
	`lease_token` text,
	`lease_until` integer,
	`created_at` integer NOT NULL,
	`finished_at` integer
);
--> statement-breakpoint
CREATE INDEX `deliveries_by_webhook` ON `deliveries` (`webhook_id`,`id`);--> statement-breakpoint
CREATE INDEX `deliveries_by_state` ON `deliveries` (`webhook_id`,`state`,`id`);--> statement-breakpoint
CREATE INDEX `deliveries_by_message` ON `deliveries` (`message_id`);--> statement-breakpoint
CREATE INDEX `deliveries_owed` ON `deliveries` (`next_attempt_at`,`id`) WHERE "deliveries"."next_attempt_at" is not null;--> statement-breakpoint
CREATE TABLE `delivery_attempts` (
	`id` text PRIMARY KEY NOT NULL,
	`delivery_id` text NOT NULL,
	`number` integer NOT NULL,
	`started_at` integer NOT NULL,
	`queue_delay_ms` integer NOT NULL,
	`url` text NOT NULL,
	`outcome` text,
	`duration_ms` integer,
	`status_code` integer,
	`payload_bytes` integer,
	`retry_after_ms` integer,
	`next_attempt_at` integer,
	`excerpt` text,
	FOREIGN KEY (`delivery_id`) REFERENCES `deliveries`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `delivery_attempts_by_delivery` ON `delivery_attempts` (`delivery_id`,`number`);--> statement-breakpoint
ALTER TABLE `webhooks` ADD `paused_reason` text;--> statement-breakpoint
ALTER TABLE `webhooks` ADD `paused_at` integer;--> statement-breakpoint
ALTER TABLE `webhooks` ADD `failing_since` integer;--> statement-breakpoint
ALTER TABLE `webhooks` ADD `abandoned_in_a_row` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `webhooks` ADD `last_success_at` integer;--> statement-breakpoint
ALTER TABLE `webhooks` ADD `previous_secret` text;--> statement-breakpoint
ALTER TABLE `webhooks` ADD `previous_secret_until` integer;