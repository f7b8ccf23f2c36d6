-- CreateTable
CREATE TABLE "gateway_shares" (
    "id" SERIAL NOT NULL,
    "node_id" INTEGER NOT NULL,
    "cluster_id" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "name_key" TEXT NOT NULL,
    "protocol" TEXT NOT NULL,
    "container" TEXT NOT NULL,
    "access_mode" TEXT NOT NULL,
    "enabled" BOOLEAN NOT NULL,
    "upload_delay" INTEGER NOT NULL,
    "write_retain" BOOLEAN NOT NULL,
    "no_apple_doubles" BOOLEAN NOT NULL,
    "clients_allowed_list" TEXT NOT NULL,
    "options" JSONB NOT NULL,
    "password" BYTEA,
    "export_number" INTEGER NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "gateway_shares_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "export_counters" (
    "node_id" INTEGER NOT NULL,
    "last" INTEGER NOT NULL,

    CONSTRAINT "export_counters_pkey" PRIMARY KEY ("node_id")
);

-- CreateTable
CREATE TABLE "users" (
    "id" SERIAL NOT NULL,
    "cluster_id" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "name_key" TEXT NOT NULL,
    "line_key" TEXT NOT NULL,
    "password" BYTEA NOT NULL,
    "is_superuser" BOOLEAN NOT NULL,
    "enabled" BOOLEAN NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "users_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "gateway_shares_node_id_id_idx" ON "gateway_shares"("node_id", "id");

-- CreateIndex
CREATE INDEX "gateway_shares_cluster_id_id_idx" ON "gateway_shares"("cluster_id", "id");

-- CreateIndex
CREATE INDEX "gateway_shares_protocol_id_idx" ON "gateway_shares"("protocol", "id");

-- CreateIndex
CREATE INDEX "gateway_shares_enabled_id_idx" ON "gateway_shares"("enabled", "id");

-- CreateIndex
CREATE INDEX "gateway_shares_name_id_idx" ON "gateway_shares"("name", "id");

-- CreateIndex
CREATE UNIQUE INDEX "gateway_shares_node_id_protocol_name_key_key" ON "gateway_shares"("node_id", "protocol", "name_key");

-- CreateIndex
CREATE UNIQUE INDEX "gateway_shares_node_id_export_number_key" ON "gateway_shares"("node_id", "export_number");

-- CreateIndex
CREATE INDEX "users_cluster_id_id_idx" ON "users"("cluster_id", "id");

-- CreateIndex
CREATE INDEX "users_name_id_idx" ON "users"("name", "id");

-- CreateIndex
CREATE UNIQUE INDEX "users_cluster_id_name_key_key" ON "users"("cluster_id", "name_key");

-- CreateIndex
CREATE UNIQUE INDEX "users_cluster_id_line_key_key" ON "users"("cluster_id", "line_key");

-- AddForeignKey
ALTER TABLE "gateway_shares" ADD CONSTRAINT "gateway_shares_node_id_fkey" FOREIGN KEY ("node_id") REFERENCES "nodes"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "gateway_shares" ADD CONSTRAINT "gateway_shares_cluster_id_fkey" FOREIGN KEY ("cluster_id") REFERENCES "clusters"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "export_counters" ADD CONSTRAINT "export_counters_node_id_fkey" FOREIGN KEY ("node_id") REFERENCES "nodes"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "users" ADD CONSTRAINT "users_cluster_id_fkey" FOREIGN KEY ("cluster_id") REFERENCES "clusters"("id") ON DELETE RESTRICT ON UPDATE CASCADE;
