-- AlterTable
ALTER TABLE "generations" ADD COLUMN     "confirm_within_s" INTEGER,
ADD COLUMN     "former" INTEGER;

-- AlterTable
ALTER TABLE "job_targets" ADD COLUMN     "unconfirmed" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "jobs" ADD COLUMN     "confirm_within_s" INTEGER,
ADD COLUMN     "confirmed_at" TIMESTAMPTZ(3);
