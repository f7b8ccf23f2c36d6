-- DropIndex
DROP INDEX "audit_events_resource_resource_id_idx";

-- AlterTable
ALTER TABLE "audit_events" ADD COLUMN     "name" TEXT,
ADD COLUMN     "searched" TEXT NOT NULL DEFAULT '';

-- The name that an event says, or that an event of the same record before it has said.
WITH said AS (
  SELECT "id", "resource", "resource_id", left(coalesce("change" ->> 1, "change" ->> 0), 256) AS "name"
    FROM (SELECT "id", "resource", "resource_id", "changes" -> CASE "resource" WHEN 'nodes' THEN 'hostname' WHEN 'users' THEN 'user'
                   WHEN 'agent_upgrades' THEN 'version' ELSE 'name' END AS "change" FROM "audit_events") AS e
), counted AS (
  SELECT *, count("name") OVER (PARTITION BY "resource", "resource_id" ORDER BY "id") AS "names" FROM said
), named AS (
  SELECT "id", CASE WHEN "resource_id" IS NULL THEN "name"
                    ELSE first_value("name") OVER (PARTITION BY "resource", "resource_id", "names" ORDER BY "id") END AS "name" FROM counted
)
UPDATE "audit_events" AS a
   SET "name" = n."name", "searched" = concat_ws(' ', a."operator", a."action", a."resource", n."name")
  FROM named AS n WHERE n."id" = a."id";

-- CreateIndex
CREATE INDEX "audit_events_resource_resource_id_id_idx" ON "audit_events"("resource", "resource_id", "id");

-- CreateIndex
CREATE INDEX "audit_events_searched_idx" ON "audit_events"("searched");
