-- AlterTable
ALTER TABLE "api_keys" ADD COLUMN     "address" TEXT NOT NULL DEFAULT '',
ADD COLUMN     "kind" TEXT NOT NULL DEFAULT 'key',
ADD COLUMN     "parent_id" INTEGER;

-- CreateIndex
CREATE INDEX "api_keys_parent_id_idx" ON "api_keys"("parent_id");

-- AddForeignKey
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_parent_id_fkey" FOREIGN KEY ("parent_id") REFERENCES "api_keys"("id") ON DELETE CASCADE ON UPDATE CASCADE;
