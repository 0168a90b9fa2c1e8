CREATE TABLE "message_numbers" (
	"id" text PRIMARY KEY NOT NULL,
	"last" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "messages" ADD COLUMN "number" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX "messages_by_number" ON "messages" USING btree ("mailbox_id","number");
--> statement-breakpoint
-- For processes of an earlier version, which set no number. A copy of another database keeps its zeros.
CREATE FUNCTION "messages_numbered"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF EXISTS (SELECT 1 FROM "instances" WHERE "state" = 'copying') THEN RETURN NEW; END IF;
	INSERT INTO "message_numbers" ("id", "last")
		SELECT "workspace_id", 1 FROM "mailboxes" WHERE "id" = NEW."mailbox_id"
		ON CONFLICT ("id") DO UPDATE SET "last" = "message_numbers"."last" + 1
		RETURNING "last" INTO NEW."number";
	RETURN NEW;
END
$$;
--> statement-breakpoint
CREATE TRIGGER "message_without_number" BEFORE INSERT ON "messages"
	FOR EACH ROW WHEN (NEW."number" = 0) EXECUTE FUNCTION "messages_numbered"();
