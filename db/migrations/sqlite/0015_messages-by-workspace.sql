ALTER TABLE `messages` ADD `workspace_id` text DEFAULT '' NOT NULL;
--> statement-breakpoint
UPDATE `messages` SET `workspace_id` = (SELECT `workspace_id` FROM `mailboxes` WHERE `id` = `messages`.`mailbox_id`);
--> statement-breakpoint
CREATE INDEX `messages_by_workspace` ON `messages` (`workspace_id`,`received_at`,`id`);
--> statement-breakpoint
-- For processes of an earlier version, which set no workspace.
CREATE TRIGGER `message_without_workspace` AFTER INSERT ON `messages` WHEN new.`workspace_id` = '' BEGIN
	UPDATE `messages` SET `workspace_id` = (SELECT `workspace_id` FROM `mailboxes` WHERE `id` = new.`mailbox_id`)
		WHERE `id` = new.`id`;
END;
