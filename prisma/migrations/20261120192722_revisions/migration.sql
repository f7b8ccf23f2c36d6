-- AlterTable
ALTER TABLE "gateway_shares" ADD COLUMN     "revision" INTEGER NOT NULL DEFAULT 1;

-- AlterTable
ALTER TABLE "users" ADD COLUMN     "revision" INTEGER NOT NULL DEFAULT 1;
