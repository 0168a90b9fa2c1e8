DROP INDEX "tokens_by_workspace";--> statement-breakpoint
CREATE INDEX "tokens_by_creation" ON "tokens" USING btree ("workspace_id","id");