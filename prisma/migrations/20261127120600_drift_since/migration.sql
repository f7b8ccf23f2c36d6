-- AlterTable
ALTER TABLE "node_deployments" ADD COLUMN     "drift_since" TIMESTAMPTZ(3);

-- CreateIndex
CREATE INDEX "node_deployments_drift_since_idx" ON "node_deployments"("drift_since");

-- When it began was not stored: the last report is the earliest time that is known.
UPDATE "node_deployments" SET "drift_since" = "updated_at" WHERE "drift" <> '[]';
