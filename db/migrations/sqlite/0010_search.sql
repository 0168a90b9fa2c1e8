CREATE TABLE `search_entries` (
	`id` text PRIMARY KEY NOT NULL,
	`received_at` integer NOT NULL,
	`number` integer
);
--> statement-breakpoint
CREATE TABLE `search_pending` (
	`id` text PRIMARY KEY NOT NULL,
	`is_skipped` integer DEFAULT false NOT NULL
);
