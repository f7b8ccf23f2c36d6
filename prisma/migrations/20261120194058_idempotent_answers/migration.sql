-- AlterTable
ALTER TABLE "idempotency_keys" DROP COLUMN "status",
ALTER COLUMN "response" SET NOT NULL;
