-- Agents send their catalogues again when they connect.
DELETE FROM "metric_catalogues";

-- AlterTable
ALTER TABLE "metric_catalogues" DROP COLUMN "catalogue",
DROP COLUMN "definitions",
ADD COLUMN     "digest" TEXT NOT NULL,
ALTER COLUMN "updated_at" SET DEFAULT CURRENT_TIMESTAMP;

-- CreateTable
CREATE TABLE "metric_definitions" (
    "digest" TEXT NOT NULL,
    "definitions" JSONB NOT NULL,

    CONSTRAINT "metric_definitions_pkey" PRIMARY KEY ("digest")
);

-- CreateIndex
CREATE INDEX "metric_catalogues_digest_idx" ON "metric_catalogues"("digest");

-- AddForeignKey
ALTER TABLE "metric_catalogues" ADD CONSTRAINT "metric_catalogues_digest_fkey" FOREIGN KEY ("digest") REFERENCES "metric_definitions"("digest") ON DELETE RESTRICT ON UPDATE CASCADE;
