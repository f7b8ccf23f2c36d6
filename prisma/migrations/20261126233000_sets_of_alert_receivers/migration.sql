-- AlterTable
ALTER TABLE "alert_receivers" ADD COLUMN     "set_name" TEXT,
ADD COLUMN     "settings_changed_at" TIMESTAMPTZ(3);

-- CreateIndex
CREATE INDEX "alert_receivers_set_name_id_idx" ON "alert_receivers"("set_name", "id");
