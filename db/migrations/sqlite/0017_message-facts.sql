ALTER TABLE `mails` ADD `details` text;--> statement-breakpoint
ALTER TABLE `messages` ADD `facts` text;