-- AlterTable
ALTER TABLE "alert_deliveries" ALTER COLUMN "cluster_id" DROP NOT NULL;

-- AlterTable
ALTER TABLE "alerts" ALTER COLUMN "cluster_id" DROP NOT NULL;

-- AlterTable
ALTER TABLE "installation" ADD COLUMN     "installed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP;
