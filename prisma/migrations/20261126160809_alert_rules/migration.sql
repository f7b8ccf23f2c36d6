-- CreateTable
CREATE TABLE "alert_rules" (
    "id" SERIAL NOT NULL,
    "code" TEXT NOT NULL,
    "cluster_id" INTEGER,
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "severity" TEXT,
    "for_seconds" INTEGER,
    "comment" TEXT NOT NULL DEFAULT '',

    CONSTRAINT "alert_rules_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "alert_rules_cluster_id_id_idx" ON "alert_rules"("cluster_id", "id");

-- AddForeignKey
ALTER TABLE "alert_rules" ADD CONSTRAINT "alert_rules_cluster_id_fkey" FOREIGN KEY ("cluster_id") REFERENCES "clusters"("id") ON DELETE CASCADE ON UPDATE CASCADE;
