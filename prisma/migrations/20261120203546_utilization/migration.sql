-- CreateTable
CREATE TABLE "usage_accounts" (
    "id" SERIAL NOT NULL,
    "cluster_id" INTEGER NOT NULL,
    "name" TEXT NOT NULL,

    CONSTRAINT "usage_accounts_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "storage_usage" (
    "account_id" INTEGER NOT NULL,
    "policy_index" INTEGER NOT NULL,
    "half_hour" INTEGER NOT NULL,
    "slots" SMALLINT NOT NULL,
    "bytes_used" BIGINT NOT NULL,
    "containers" BIGINT NOT NULL,
    "objects" BIGINT NOT NULL,

    CONSTRAINT "storage_usage_pkey" PRIMARY KEY ("account_id","policy_index","half_hour")
);

-- CreateTable
CREATE TABLE "transfer_usage" (
    "account_id" INTEGER NOT NULL,
    "half_hour" INTEGER NOT NULL,
    "node_id" INTEGER NOT NULL,
    "bytes_in" BIGINT NOT NULL,
    "bytes_out" BIGINT NOT NULL,
    "requests" BIGINT NOT NULL,

    CONSTRAINT "transfer_usage_pkey" PRIMARY KEY ("account_id","half_hour","node_id")
);

-- CreateTable
CREATE TABLE "log_coverage" (
    "cluster_id" INTEGER NOT NULL,
    "half_hour" INTEGER NOT NULL,
    "node_id" INTEGER NOT NULL,
    "share" DOUBLE PRECISION NOT NULL,

    CONSTRAINT "log_coverage_pkey" PRIMARY KEY ("cluster_id","half_hour","node_id")
);

-- CreateTable
CREATE TABLE "log_readers" (
    "cluster_id" INTEGER NOT NULL,
    "node_id" INTEGER NOT NULL,
    "first_half_hour" INTEGER NOT NULL,
    "last_half_hour" INTEGER NOT NULL,

    CONSTRAINT "log_readers_pkey" PRIMARY KEY ("cluster_id","node_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "usage_accounts_cluster_id_name_key" ON "usage_accounts"("cluster_id", "name");

-- CreateIndex
CREATE INDEX "storage_usage_half_hour_idx" ON "storage_usage"("half_hour");

-- CreateIndex
CREATE INDEX "transfer_usage_half_hour_idx" ON "transfer_usage"("half_hour");

-- CreateIndex
CREATE INDEX "log_coverage_half_hour_idx" ON "log_coverage"("half_hour");

-- AddForeignKey
ALTER TABLE "usage_accounts" ADD CONSTRAINT "usage_accounts_cluster_id_fkey" FOREIGN KEY ("cluster_id") REFERENCES "clusters"("id") ON DELETE CASCADE ON UPDATE CASCADE;
