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
--> statement-breakpoint
-- Numbers what processes of an earlier version store, once for a statement: for each row, PostgreSQL would read all
-- versions of the row of the workspace that the statement has made.
DROP TRIGGER "message_without_number" ON "messages";
--> statement-breakpoint
DROP FUNCTION "messages_numbered"();
--> statement-breakpoint
CREATE FUNCTION "messages_stored"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF NOT EXISTS (SELECT 1 FROM "stored" WHERE "number" = 0) THEN RETURN NULL; END IF;
	-- A copy of another database keeps its zeros.
	IF EXISTS (SELECT 1 FROM "instances" WHERE "state" = 'copying') THEN RETURN NULL; END IF;
	INSERT INTO "message_numbers" ("id", "last")
		SELECT "workspace_id", count(*) FROM "stored" WHERE "number" = 0 GROUP BY "workspace_id" ORDER BY "workspace_id"
		ON CONFLICT ("id") DO UPDATE SET "last" = "message_numbers"."last" + excluded."last";
	UPDATE "messages" SET "number" = "placed"."number" FROM (
		SELECT s."id", n."last" - row_number() OVER (PARTITION BY s."workspace_id" ORDER BY s."id" DESC) + 1 AS "number"
			FROM "stored" AS s JOIN "message_numbers" AS n ON n."id" = s."workspace_id" WHERE s."number" = 0
	) AS "placed" WHERE "messages"."id" = "placed"."id";
	RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER "messages_without_number" AFTER INSERT ON "messages"
	REFERENCING NEW TABLE AS "stored" FOR EACH STATEMENT EXECUTE FUNCTION "messages_stored"();
--> statement-breakpoint
-- The rows of these tables are removed with their messages (0013).
ALTER TABLE "claims" SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_limit = 2000);
--> statement-breakpoint
ALTER TABLE "caught_recipients" SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_limit = 2000);
