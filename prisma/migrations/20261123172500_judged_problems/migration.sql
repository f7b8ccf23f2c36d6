-- AlterTable
ALTER TABLE "nodes" ADD COLUMN     "judged_problems" JSONB NOT NULL DEFAULT '[]';
