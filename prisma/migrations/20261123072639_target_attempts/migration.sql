-- AlterTable
ALTER TABLE "job_targets" DROP COLUMN "deadline",
ADD COLUMN     "attempts" INTEGER NOT NULL DEFAULT 0;
