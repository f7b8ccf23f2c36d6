-- AlterTable
ALTER TABLE "nodes" ADD COLUMN     "in_account_ring" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "storage_usage" DROP CONSTRAINT "storage_usage_pkey",
ADD COLUMN     "node_id" INTEGER NOT NULL DEFAULT 0,
ADD CONSTRAINT "storage_usage_pkey" PRIMARY KEY ("account_id", "policy_index", "half_hour", "node_id");

UPDATE "nodes" n SET "in_account_ring" = r."runs_account_container" FROM "node_roles" r WHERE r."node_id" = n."id";
