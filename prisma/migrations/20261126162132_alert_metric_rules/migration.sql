-- CreateTable
CREATE TABLE "alert_metric_rules" (
    "id" SERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "cluster_id" INTEGER,
    "level" TEXT NOT NULL,
    "metric" TEXT NOT NULL,
    "comparison" TEXT NOT NULL,
    "threshold" DOUBLE PRECISION NOT NULL,
    "end_threshold" DOUBLE PRECISION,
    "for_seconds" INTEGER NOT NULL,
    "severity" TEXT NOT NULL,
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "comment" TEXT NOT NULL DEFAULT '',

    CONSTRAINT "alert_metric_rules_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "alert_metric_rules_name_key" ON "alert_metric_rules"("name");

-- CreateIndex
CREATE INDEX "alert_metric_rules_cluster_id_id_idx" ON "alert_metric_rules"("cluster_id", "id");

-- AddForeignKey
ALTER TABLE "alert_metric_rules" ADD CONSTRAINT "alert_metric_rules_cluster_id_fkey" FOREIGN KEY ("cluster_id") REFERENCES "clusters"("id") ON DELETE CASCADE ON UPDATE CASCADE;
