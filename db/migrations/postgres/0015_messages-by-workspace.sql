ALTER TABLE "messages" ADD COLUMN "workspace_id" text DEFAULT '' NOT NULL;
--> statement-breakpoint
UPDATE "messages" SET "workspace_id" = "mailboxes"."workspace_id" FROM "mailboxes" WHERE "mailboxes"."id" = "messages"."mailbox_id";
--> statement-breakpoint
CREATE INDEX "messages_by_workspace" ON "messages" USING btree ("workspace_id","received_at","id");
--> statement-breakpoint
-- For processes of an earlier version, which set no workspace.
CREATE FUNCTION "message_placed"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NEW."workspace_id" := coalesce((SELECT "workspace_id" FROM "mailboxes" WHERE "id" = NEW."mailbox_id"), '');
	RETURN NEW;
END
$$;
--> statement-breakpoint
CREATE TRIGGER "message_without_workspace" BEFORE INSERT ON "messages"
	FOR EACH ROW WHEN (NEW."workspace_id" = '') EXECUTE FUNCTION "message_placed"();
