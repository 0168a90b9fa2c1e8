CREATE TABLE "search_entries" (
	"id" text PRIMARY KEY NOT NULL,
	"received_at" timestamp (3) with time zone NOT NULL,
	"number" integer
);
--> statement-breakpoint
CREATE TABLE "search_pending" (
	"id" text PRIMARY KEY NOT NULL,
	"is_skipped" boolean DEFAULT false NOT NULL
);
