-- AlterTable
ALTER TABLE "gateway_shares" ADD COLUMN     "set_name" TEXT;

-- AlterTable
ALTER TABLE "users" ADD COLUMN     "set_name" TEXT;

-- CreateIndex
CREATE INDEX "gateway_shares_set_name_id_idx" ON "gateway_shares"("set_name", "id");

-- CreateIndex
CREATE INDEX "users_set_name_id_idx" ON "users"("set_name", "id");
