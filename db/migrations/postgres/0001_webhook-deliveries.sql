CREATE TABLE "deliveries" (
	"id" text PRIMARY KEY NOT NULL,
	"webhook_id" text NOT NULL,
	"message_id" text NOT NULL,
	"trigger" text NOT NULL,
	"redelivery_of" text,
	"state" text NOT NULL,
	"reason" text,
	"attempts" integer NOT NULL,
	"failures" integer NOT NULL,
	"interruptions" integer NOT NULL,
	"next_attempt_at" timestamp (3) with time zone,
	"lease_token" text,
	"lease_until" timestamp (3) with time zone,
	"created_at" timestamp (3) with time zone NOT NULL,
	"finished_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "delivery_attempts" (
	"id" text PRIMARY KEY NOT NULL,
	"delivery_id" text NOT NULL,
	"number" integer NOT NULL,
	"started_at" timestamp (3) with time zone NOT NULL,
	"queue_delay_ms" integer NOT NULL,
	"url" text NOT NULL,
	"outcome" text,
	"duration_ms" integer,
	"status_code" integer,
	"payload_bytes" integer,
	"retry_after_ms" integer,
	"next_attempt_at" timestamp (3) with time zone,
	"excerpt" text
);
--> statement-breakpoint
ALTER TABLE "webhooks" ADD COLUMN "paused_reason" text;--> statement-breakpoint
ALTER TABLE "webhooks" ADD COLUMN "paused_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "webhooks" ADD COLUMN "failing_since" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "webhooks" ADD COLUMN "abandoned_in_a_row" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "webhooks" ADD COLUMN "last_success_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "webhooks" ADD COLUMN "previous_secret" text;--> statement-breakpoint
ALTER TABLE "webhooks" ADD COLUMN "previous_secret_until" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "delivery_attempts" ADD CONSTRAINT "delivery_attempts_delivery_id_deliveries_id_fk" FOREIGN KEY ("delivery_id") REFERENCES "public"."deliveries"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "deliveries_by_webhook" ON "deliveries" USING btree ("webhook_id","id");--> statement-breakpoint
CREATE INDEX "deliveries_by_state" ON "deliveries" USING btree ("webhook_id","state","id");--> statement-breakpoint
CREATE INDEX "deliveries_by_message" ON "deliveries" USING btree ("message_id");--> statement-breakpoint
CREATE INDEX "deliveries_owed" ON "deliveries" USING btree ("next_attempt_at","id") WHERE "deliveries"."next_attempt_at" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "delivery_attempts_by_delivery" ON "delivery_attempts" USING btree ("delivery_id","number");