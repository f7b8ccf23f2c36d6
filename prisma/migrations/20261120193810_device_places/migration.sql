-- AlterTable
ALTER TABLE "devices" ALTER COLUMN "agent_key" DROP NOT NULL;

-- CreateIndex
CREATE INDEX "devices_fs_uuid_idx" ON "devices"("fs_uuid");
