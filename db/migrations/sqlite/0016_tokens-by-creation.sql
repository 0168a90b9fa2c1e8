DROP INDEX `tokens_by_workspace`;--> statement-breakpoint
CREATE INDEX `tokens_by_creation` ON `tokens` (`workspace_id`,`id`);