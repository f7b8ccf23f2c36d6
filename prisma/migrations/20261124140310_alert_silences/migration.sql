-- AlterTable
ALTER TABLE "alerts" ADD COLUMN     "silence_marks" JSONB NOT NULL DEFAULT '{}',
ADD COLUMN     "silenced_until" TIMESTAMPTZ(3);

-- AlterTable
ALTER TABLE "nodes" ADD COLUMN     "maintenance_until" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "alert_silences" (
    "id" SERIAL NOT NULL,
    "cluster_id" INTEGER,
    "node_id" INTEGER,
    "device_id" INTEGER,
    "code" TEXT,
    "subject" TEXT,
    "until_worse" BOOLEAN NOT NULL DEFAULT false,
    "starts_at" TIMESTAMPTZ(3) NOT NULL,
    "ends_at" TIMESTAMPTZ(3) NOT NULL,
    "comment" TEXT NOT NULL DEFAULT '',
    "operator" TEXT NOT NULL,

    CONSTRAINT "alert_silences_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "alert_silences_cluster_id_id_idx" ON "alert_silences"("cluster_id", "id");

-- CreateIndex
CREATE INDEX "alert_silences_node_id_id_idx" ON "alert_silences"("node_id", "id");

-- CreateIndex
CREATE INDEX "alert_silences_device_id_id_idx" ON "alert_silences"("device_id", "id");

-- CreateIndex
CREATE INDEX "alert_silences_ends_at_idx" ON "alert_silences"("ends_at");

-- AddForeignKey
ALTER TABLE "alert_silences" ADD CONSTRAINT "alert_silences_cluster_id_fkey" FOREIGN KEY ("cluster_id") REFERENCES "clusters"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "alert_silences" ADD CONSTRAINT "alert_silences_node_id_fkey" FOREIGN KEY ("node_id") REFERENCES "nodes"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "alert_silences" ADD CONSTRAINT "alert_silences_device_id_fkey" FOREIGN KEY ("device_id") REFERENCES "devices"("id") ON DELETE CASCADE ON UPDATE CASCADE;
