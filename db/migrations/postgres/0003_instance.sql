CREATE TABLE "instances" (
	"id" text PRIMARY KEY NOT NULL,
	"instance_id" text NOT NULL,
	"state" text NOT NULL
);
