ALTER TABLE "search_entries" ADD COLUMN "words" tsvector;
--> statement-breakpoint
CREATE INDEX "search_entries_by_word" ON "search_entries" USING gin ("words");
--> statement-breakpoint
CREATE INDEX "search_entries_by_time" ON "search_entries" ("received_at");
--> statement-breakpoint
CREATE FUNCTION "search_mails_stored"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO "search_pending" ("id") SELECT "id" FROM "stored" ON CONFLICT DO NOTHING;
	RETURN NULL;
END
$$;
--> statement-breakpoint
CREATE TRIGGER "search_mail_stored" AFTER INSERT ON "mails"
	REFERENCING NEW TABLE AS "stored" FOR EACH STATEMENT EXECUTE FUNCTION "search_mails_stored"();
--> statement-breakpoint
INSERT INTO "search_pending" ("id") SELECT "id" FROM "mails";
