-- CreateTable
CREATE TABLE "alerts" (
    "id" SERIAL NOT NULL,
    "fingerprint" TEXT NOT NULL,
    "open_key" TEXT,
    "code" TEXT NOT NULL,
    "problem" TEXT NOT NULL,
    "severity" TEXT NOT NULL,
    "cluster_id" INTEGER NOT NULL,
    "node_id" INTEGER,
    "hostname" TEXT NOT NULL DEFAULT '',
    "device_id" INTEGER,
    "subject" TEXT NOT NULL,
    "summary" TEXT NOT NULL,
    "value" DOUBLE PRECISION,
    "threshold" DOUBLE PRECISION,
    "state" TEXT NOT NULL,
    "good_rounds" INTEGER NOT NULL DEFAULT 0,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "fired_at" TIMESTAMPTZ(3),
    "changed_at" TIMESTAMPTZ(3) NOT NULL,
    "resolved_at" TIMESTAMPTZ(3),
    "acknowledged_by" TEXT NOT NULL DEFAULT '',
    "acknowledged_at" TIMESTAMPTZ(3),

    CONSTRAINT "alerts_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "alerts_open_key_key" ON "alerts"("open_key");

-- CreateIndex
CREATE INDEX "alerts_cluster_id_open_key_idx" ON "alerts"("cluster_id", "open_key");

-- CreateIndex
CREATE INDEX "alerts_node_id_idx" ON "alerts"("node_id");

-- CreateIndex
CREATE INDEX "alerts_device_id_idx" ON "alerts"("device_id");

-- CreateIndex
CREATE INDEX "alerts_fired_at_idx" ON "alerts"("fired_at");

-- CreateIndex
CREATE INDEX "alerts_resolved_at_idx" ON "alerts"("resolved_at");

-- AddForeignKey
ALTER TABLE "alerts" ADD CONSTRAINT "alerts_cluster_id_fkey" FOREIGN KEY ("cluster_id") REFERENCES "clusters"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "alerts" ADD CONSTRAINT "alerts_node_id_fkey" FOREIGN KEY ("node_id") REFERENCES "nodes"("id") ON DELETE SET NULL ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "alerts" ADD CONSTRAINT "alerts_device_id_fkey" FOREIGN KEY ("device_id") REFERENCES "devices"("id") ON DELETE SET NULL ON UPDATE CASCADE;
