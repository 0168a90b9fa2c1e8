CREATE TABLE `message_numbers` (
	`id` text PRIMARY KEY NOT NULL,
	`last` integer NOT NULL
);
--> statement-breakpoint
ALTER TABLE `messages` ADD `number` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX `messages_by_number` ON `messages` (`mailbox_id`,`number`);
--> statement-breakpoint
-- For processes of an earlier version, which set no number. A copy of another database keeps its zeros.
CREATE TRIGGER `message_without_number` AFTER INSERT ON `messages`
WHEN new.`number` = 0 AND NOT EXISTS (SELECT 1 FROM `instances` WHERE `state` = 'copying') BEGIN
	INSERT INTO `message_numbers` (`id`, `last`)
		SELECT `workspace_id`, 1 FROM `mailboxes` WHERE `id` = new.`mailbox_id`
		ON CONFLICT (`id`) DO UPDATE SET `last` = `last` + 1;
	UPDATE `messages` SET `number` = (
		SELECT `last` FROM `message_numbers` WHERE `id` = (
			SELECT `workspace_id` FROM `mailboxes` WHERE `id` = new.`mailbox_id`
		)
	) WHERE `id` = new.`id`;
END;
