-- CreateTable
CREATE TABLE "alert_receivers" (
    "id" SERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "target" TEXT NOT NULL,
    "settings" BYTEA NOT NULL,
    "cluster_id" INTEGER,
    "least_severity" TEXT NOT NULL,
    "send_resolved" BOOLEAN NOT NULL,
    "enabled" BOOLEAN NOT NULL,
    "revision" INTEGER NOT NULL DEFAULT 0,
    "last_delivered_at" TIMESTAMPTZ(3),
    "last_error" TEXT NOT NULL DEFAULT '',
    "last_error_at" TIMESTAMPTZ(3),

    CONSTRAINT "alert_receivers_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "alert_deliveries" (
    "id" SERIAL NOT NULL,
    "receiver_id" INTEGER NOT NULL,
    "cluster_id" INTEGER NOT NULL,
    "code" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "next_at" TIMESTAMPTZ(3),
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),
    "error" TEXT NOT NULL DEFAULT '',
    "message" JSONB,

    CONSTRAINT "alert_deliveries_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "alert_notices" (
    "receiver_id" INTEGER NOT NULL,
    "alert_id" INTEGER NOT NULL,
    "severity" TEXT NOT NULL,
    "is_resolved" BOOLEAN NOT NULL DEFAULT false,
    "delivery_id" INTEGER,

    CONSTRAINT "alert_notices_pkey" PRIMARY KEY ("receiver_id","alert_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "alert_receivers_name_key" ON "alert_receivers"("name");

-- CreateIndex
CREATE INDEX "alert_receivers_cluster_id_id_idx" ON "alert_receivers"("cluster_id", "id");

-- CreateIndex
CREATE INDEX "alert_deliveries_next_at_idx" ON "alert_deliveries"("next_at");

-- CreateIndex
CREATE INDEX "alert_deliveries_receiver_id_id_idx" ON "alert_deliveries"("receiver_id", "id");

-- CreateIndex
CREATE INDEX "alert_deliveries_cluster_id_id_idx" ON "alert_deliveries"("cluster_id", "id");

-- CreateIndex
CREATE INDEX "alert_deliveries_ended_at_idx" ON "alert_deliveries"("ended_at");

-- CreateIndex
CREATE INDEX "alert_notices_alert_id_idx" ON "alert_notices"("alert_id");

-- CreateIndex
CREATE INDEX "alert_notices_delivery_id_idx" ON "alert_notices"("delivery_id");

-- CreateIndex
CREATE INDEX "alert_notices_is_resolved_idx" ON "alert_notices"("is_resolved");

-- AddForeignKey
ALTER TABLE "alert_receivers" ADD CONSTRAINT "alert_receivers_cluster_id_fkey" FOREIGN KEY ("cluster_id") REFERENCES "clusters"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "alert_deliveries" ADD CONSTRAINT "alert_deliveries_receiver_id_fkey" FOREIGN KEY ("receiver_id") REFERENCES "alert_receivers"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "alert_deliveries" ADD CONSTRAINT "alert_deliveries_cluster_id_fkey" FOREIGN KEY ("cluster_id") REFERENCES "clusters"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "alert_notices" ADD CONSTRAINT "alert_notices_receiver_id_fkey" FOREIGN KEY ("receiver_id") REFERENCES "alert_receivers"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "alert_notices" ADD CONSTRAINT "alert_notices_alert_id_fkey" FOREIGN KEY ("alert_id") REFERENCES "alerts"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "alert_notices" ADD CONSTRAINT "alert_notices_delivery_id_fkey" FOREIGN KEY ("delivery_id") REFERENCES "alert_deliveries"("id") ON DELETE SET NULL ON UPDATE CASCADE;
