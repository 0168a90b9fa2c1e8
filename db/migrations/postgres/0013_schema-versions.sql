CREATE TABLE "schema_versions" (
	"id" text PRIMARY KEY NOT NULL,
	"version" integer NOT NULL,
	"oldest_code" integer NOT NULL
);
--> statement-breakpoint
-- Each row of these tables is removed within days. By default, a vacuum waits until a fifth of a table is dead, and
-- until then statements read the index entries of removed rows. It may use ten times the default I/O.
ALTER TABLE "mails" SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_limit = 2000, toast.autovacuum_vacuum_scale_factor = 0.01, toast.autovacuum_vacuum_threshold = 5000, toast.autovacuum_vacuum_cost_limit = 2000);
--> statement-breakpoint
ALTER TABLE "messages" SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_limit = 2000);
--> statement-breakpoint
ALTER TABLE "attachments" SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_limit = 2000);
--> statement-breakpoint
ALTER TABLE "deliveries" SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_limit = 2000);
--> statement-breakpoint
ALTER TABLE "delivery_attempts" SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_limit = 2000);
--> statement-breakpoint
ALTER TABLE "search_pending" SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_limit = 2000);
--> statement-breakpoint
ALTER TABLE "search_entries" SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_limit = 2000);
