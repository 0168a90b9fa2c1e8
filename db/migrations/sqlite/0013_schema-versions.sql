CREATE TABLE `schema_versions` (
	`id` text PRIMARY KEY NOT NULL,
	`version` integer NOT NULL,
	`oldest_code` integer NOT NULL
);
