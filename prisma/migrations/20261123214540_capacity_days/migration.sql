-- CreateTable
CREATE TABLE "device_days" (
    "device_id" INTEGER NOT NULL,
    "day" DATE NOT NULL,
    "used_bytes" BIGINT NOT NULL,
    "raw_bytes" BIGINT NOT NULL,

    CONSTRAINT "device_days_pkey" PRIMARY KEY ("device_id","day")
);

-- CreateTable
CREATE TABLE "device_forecasts" (
    "device_id" INTEGER NOT NULL,
    "early" DOUBLE PRECISION,
    "middle" DOUBLE PRECISION,
    "late" DOUBLE PRECISION,
    "made_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "device_forecasts_pkey" PRIMARY KEY ("device_id")
);

-- CreateTable
CREATE TABLE "capacity_days" (
    "cluster_id" INTEGER NOT NULL,
    "policy_set" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "raw_bytes" BIGINT NOT NULL,
    "used_bytes" BIGINT NOT NULL,
    "free_bytes" BIGINT NOT NULL,
    "fullest_pct" DOUBLE PRECISION NOT NULL,
    "pct_95" DOUBLE PRECISION NOT NULL,

    CONSTRAINT "capacity_days_pkey" PRIMARY KEY ("cluster_id","policy_set","day")
);

-- CreateIndex
CREATE INDEX "device_days_day_idx" ON "device_days"("day");

-- CreateIndex
CREATE INDEX "device_forecasts_middle_idx" ON "device_forecasts"("middle");

-- CreateIndex
CREATE INDEX "capacity_days_day_idx" ON "capacity_days"("day");

-- AddForeignKey
ALTER TABLE "device_days" ADD CONSTRAINT "device_days_device_id_fkey" FOREIGN KEY ("device_id") REFERENCES "devices"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "device_forecasts" ADD CONSTRAINT "device_forecasts_device_id_fkey" FOREIGN KEY ("device_id") REFERENCES "devices"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "capacity_days" ADD CONSTRAINT "capacity_days_cluster_id_fkey" FOREIGN KEY ("cluster_id") REFERENCES "clusters"("id") ON DELETE CASCADE ON UPDATE CASCADE;
