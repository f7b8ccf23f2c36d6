-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateTable
CREATE TABLE "clusters" (
    "id" SERIAL NOT NULL,
    "uuid" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "clusters_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "devices" (
    "id" SERIAL NOT NULL,
    "cluster_id" INTEGER NOT NULL,
    "node_id" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "fs_uuid" TEXT,
    "serial" TEXT,
    "model" TEXT,
    "mount_point" TEXT,
    "fs_type" TEXT,
    "is_rotational" BOOLEAN,
    "size_bytes" BIGINT,
    "total_bytes" BIGINT,
    "free_bytes" BIGINT,
    "available_bytes" BIGINT,
    "status" TEXT NOT NULL,
    "agent_key" TEXT NOT NULL,
    "last_seen" TIMESTAMPTZ(3),

    CONSTRAINT "devices_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "storage_policies" (
    "id" SERIAL NOT NULL,
    "cluster_id" INTEGER NOT NULL,
    "index" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "aliases" TEXT[],
    "is_default" BOOLEAN NOT NULL,
    "is_deprecated" BOOLEAN NOT NULL,
    "type" TEXT NOT NULL,

    CONSTRAINT "storage_policies_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "device_policies" (
    "device_id" INTEGER NOT NULL,
    "policy_id" INTEGER NOT NULL,

    CONSTRAINT "device_policies_pkey" PRIMARY KEY ("device_id","policy_id")
);

-- CreateTable
CREATE TABLE "metric_catalogues" (
    "node_id" INTEGER NOT NULL,
    "catalogue" BIGINT NOT NULL,
    "definitions" JSONB NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "metric_catalogues_pkey" PRIMARY KEY ("node_id")
);

-- CreateTable
CREATE TABLE "nodes" (
    "id" SERIAL NOT NULL,
    "uuid" UUID NOT NULL,
    "cluster_id" INTEGER NOT NULL,
    "hostname" TEXT NOT NULL,
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "cpu_cores" INTEGER,
    "memory_bytes" BIGINT,
    "cluster_facing_ip" TEXT,
    "outward_facing_ip" TEXT,
    "replication_facing_ip" TEXT,
    "other_ips" TEXT[],
    "operator_fields" TEXT[],
    "state" TEXT NOT NULL DEFAULT 'pending',
    "config_state" TEXT NOT NULL DEFAULT 'unknown',
    "last_seen" TIMESTAMPTZ(3),
    "agent_version" TEXT,
    "public_key" BYTEA NOT NULL,
    "machine_id" TEXT NOT NULL,
    "boot_id" TEXT NOT NULL,
    "hardware" JSONB NOT NULL DEFAULT '{}',
    "inventory" JSONB,
    "inventory_sequence" BIGINT NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "nodes_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "node_roles" (
    "id" SERIAL NOT NULL,
    "node_id" INTEGER NOT NULL,
    "runs_account_container" BOOLEAN NOT NULL DEFAULT false,
    "runs_gateway" BOOLEAN NOT NULL DEFAULT false,
    "runs_object" BOOLEAN NOT NULL DEFAULT false,
    "runs_proxy" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "node_roles_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "revoked_nodes" (
    "public_key" BYTEA NOT NULL,
    "node_uuid" UUID NOT NULL,
    "hostname" TEXT NOT NULL,
    "revoked_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "revoked_nodes_pkey" PRIMARY KEY ("public_key")
);

-- CreateTable
CREATE TABLE "enrolment_tokens" (
    "id" SERIAL NOT NULL,
    "digest" BYTEA NOT NULL,
    "cluster_id" INTEGER NOT NULL,
    "uses_left" INTEGER NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "enrolment_tokens_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "operators" (
    "id" SERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "operators_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_keys" (
    "id" SERIAL NOT NULL,
    "operator_id" INTEGER NOT NULL,
    "digest" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(3),
    "last_used_at" TIMESTAMPTZ(3),
    "revoked_at" TIMESTAMPTZ(3),

    CONSTRAINT "api_keys_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "audit_events" (
    "id" SERIAL NOT NULL,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "operator" TEXT NOT NULL,
    "key_id" INTEGER,
    "address" TEXT NOT NULL,
    "request_id" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "resource" TEXT NOT NULL,
    "resource_id" INTEGER,
    "changes" JSONB NOT NULL,

    CONSTRAINT "audit_events_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "idempotency_keys" (
    "operator_id" INTEGER NOT NULL,
    "path" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "body_mac" BYTEA NOT NULL,
    "status" INTEGER,
    "response" JSONB,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY ("operator_id","path","key")
);

-- CreateIndex
CREATE UNIQUE INDEX "clusters_uuid_key" ON "clusters"("uuid");

-- CreateIndex
CREATE UNIQUE INDEX "clusters_name_key" ON "clusters"("name");

-- CreateIndex
CREATE INDEX "devices_cluster_id_idx" ON "devices"("cluster_id");

-- CreateIndex
CREATE UNIQUE INDEX "devices_node_id_agent_key_key" ON "devices"("node_id", "agent_key");

-- CreateIndex
CREATE UNIQUE INDEX "storage_policies_cluster_id_index_key" ON "storage_policies"("cluster_id", "index");

-- CreateIndex
CREATE INDEX "device_policies_policy_id_idx" ON "device_policies"("policy_id");

-- CreateIndex
CREATE UNIQUE INDEX "nodes_uuid_key" ON "nodes"("uuid");

-- CreateIndex
CREATE UNIQUE INDEX "nodes_public_key_key" ON "nodes"("public_key");

-- CreateIndex
CREATE INDEX "nodes_cluster_id_idx" ON "nodes"("cluster_id");

-- CreateIndex
CREATE INDEX "nodes_hostname_idx" ON "nodes"("hostname");

-- CreateIndex
CREATE UNIQUE INDEX "node_roles_node_id_key" ON "node_roles"("node_id");

-- CreateIndex
CREATE UNIQUE INDEX "enrolment_tokens_digest_key" ON "enrolment_tokens"("digest");

-- CreateIndex
CREATE UNIQUE INDEX "operators_name_key" ON "operators"("name");

-- CreateIndex
CREATE UNIQUE INDEX "api_keys_digest_key" ON "api_keys"("digest");

-- CreateIndex
CREATE INDEX "api_keys_operator_id_idx" ON "api_keys"("operator_id");

-- CreateIndex
CREATE INDEX "audit_events_at_idx" ON "audit_events"("at");

-- CreateIndex
CREATE INDEX "audit_events_resource_resource_id_idx" ON "audit_events"("resource", "resource_id");

-- CreateIndex
CREATE INDEX "idempotency_keys_created_at_idx" ON "idempotency_keys"("created_at");

-- AddForeignKey
ALTER TABLE "devices" ADD CONSTRAINT "devices_cluster_id_fkey" FOREIGN KEY ("cluster_id") REFERENCES "clusters"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "devices" ADD CONSTRAINT "devices_node_id_fkey" FOREIGN KEY ("node_id") REFERENCES "nodes"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "storage_policies" ADD CONSTRAINT "storage_policies_cluster_id_fkey" FOREIGN KEY ("cluster_id") REFERENCES "clusters"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "device_policies" ADD CONSTRAINT "device_policies_device_id_fkey" FOREIGN KEY ("device_id") REFERENCES "devices"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "device_policies" ADD CONSTRAINT "device_policies_policy_id_fkey" FOREIGN KEY ("policy_id") REFERENCES "storage_policies"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "metric_catalogues" ADD CONSTRAINT "metric_catalogues_node_id_fkey" FOREIGN KEY ("node_id") REFERENCES "nodes"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "nodes" ADD CONSTRAINT "nodes_cluster_id_fkey" FOREIGN KEY ("cluster_id") REFERENCES "clusters"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "node_roles" ADD CONSTRAINT "node_roles_node_id_fkey" FOREIGN KEY ("node_id") REFERENCES "nodes"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "enrolment_tokens" ADD CONSTRAINT "enrolment_tokens_cluster_id_fkey" FOREIGN KEY ("cluster_id") REFERENCES "clusters"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_operator_id_fkey" FOREIGN KEY ("operator_id") REFERENCES "operators"("id") ON DELETE CASCADE ON UPDATE CASCADE;
