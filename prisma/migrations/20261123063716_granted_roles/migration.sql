-- AlterTable
ALTER TABLE "enrolment_tokens" ADD COLUMN     "roles" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- AlterTable
ALTER TABLE "nodes" ADD COLUMN     "roles_granted" TEXT[] DEFAULT ARRAY[]::TEXT[];

-- A node keeps the roles in which it was deployed before.
UPDATE "nodes" n SET "roles_granted" = ARRAY(
  SELECT CASE d."kind" WHEN 'gateway' THEN 'runs_gateway' ELSE 'runs_proxy' END
  FROM "node_deployments" d WHERE d."node_id" = n."id" AND d."desired" > 0 ORDER BY 1
);
