-- AlterTable
ALTER TABLE "gateway_shares" ADD COLUMN     "cache_size_mb" INTEGER;
