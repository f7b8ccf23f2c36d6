-- AlterTable
ALTER TABLE "usage_accounts" ADD COLUMN     "project_name" TEXT;
