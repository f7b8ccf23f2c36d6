-- AlterTable
ALTER TABLE "api_keys" ADD COLUMN     "label" TEXT NOT NULL DEFAULT '';
