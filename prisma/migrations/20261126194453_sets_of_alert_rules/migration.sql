-- AlterTable
ALTER TABLE "alert_metric_rules" ADD COLUMN     "set_name" TEXT;

-- AlterTable
ALTER TABLE "alert_rules" ADD COLUMN     "set_name" TEXT;

-- CreateIndex
CREATE INDEX "alert_metric_rules_set_name_id_idx" ON "alert_metric_rules"("set_name", "id");

-- CreateIndex
CREATE INDEX "alert_rules_set_name_id_idx" ON "alert_rules"("set_name", "id");
