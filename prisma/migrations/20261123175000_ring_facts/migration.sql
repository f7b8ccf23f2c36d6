-- AlterTable
ALTER TABLE "devices" ADD COLUMN     "rings" JSONB NOT NULL DEFAULT '[]';

-- AlterTable
ALTER TABLE "storage_policies" ADD COLUMN     "ec" JSONB,
ADD COLUMN     "replicas" DOUBLE PRECISION;
