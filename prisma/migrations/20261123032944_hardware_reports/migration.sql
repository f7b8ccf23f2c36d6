-- AlterTable
ALTER TABLE "nodes" ADD COLUMN     "hardware_report" JSONB;
