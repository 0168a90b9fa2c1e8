-- Without rowid, a stored mail adds to one tree instead of two.
DROP TABLE `search_pending`;
--> statement-breakpoint
CREATE TABLE `search_pending` (
	`id` text PRIMARY KEY NOT NULL,
	`is_skipped` integer DEFAULT false NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
-- Words are prepared by the service, so the tokenizer only cuts at spaces.
CREATE VIRTUAL TABLE `search_words` USING fts5(
	`words`,
	content='',
	contentless_delete=1,
	detail=none,
	tokenize="ascii tokenchars ':_'"
);
--> statement-breakpoint
-- By default, a segment is written again for each tenth of it that is deleted: 25 times the CPU time of a deletion.
INSERT INTO `search_words` (`search_words`, rank) VALUES ('deletemerge', 50);
--> statement-breakpoint
CREATE UNIQUE INDEX `search_entries_by_number` ON `search_entries` (`number`);
--> statement-breakpoint
CREATE TRIGGER `search_entry_removed` AFTER DELETE ON `search_entries` BEGIN
	DELETE FROM `search_words` WHERE rowid = old.`number`;
END;
--> statement-breakpoint
CREATE TRIGGER `search_mail_stored` AFTER INSERT ON `mails` BEGIN
	INSERT OR IGNORE INTO `search_pending` (`id`) VALUES (new.`id`);
END;
--> statement-breakpoint
INSERT INTO `search_pending` (`id`) SELECT `id` FROM `mails`;
