-- CreateTable
CREATE TABLE "agent_upgrades" (
    "id" SERIAL NOT NULL,
    "cluster_id" INTEGER NOT NULL,
    "node_id" INTEGER,
    "version" TEXT NOT NULL,
    "canary" INTEGER NOT NULL,
    "wave_percent" INTEGER NOT NULL,
    "state" TEXT NOT NULL,
    "message" TEXT NOT NULL DEFAULT '',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "agent_upgrades_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "agent_upgrade_targets" (
    "upgrade_id" INTEGER NOT NULL,
    "node_id" INTEGER NOT NULL,
    "wave" INTEGER NOT NULL,
    "state" TEXT NOT NULL,
    "message" TEXT NOT NULL DEFAULT '',
    "from_version" TEXT NOT NULL,

    CONSTRAINT "agent_upgrade_targets_pkey" PRIMARY KEY ("upgrade_id","node_id")
);

-- CreateIndex
CREATE INDEX "agent_upgrades_cluster_id_id_idx" ON "agent_upgrades"("cluster_id", "id");

-- CreateIndex
CREATE INDEX "agent_upgrades_node_id_id_idx" ON "agent_upgrades"("node_id", "id");

-- CreateIndex
CREATE INDEX "agent_upgrades_state_idx" ON "agent_upgrades"("state");

-- CreateIndex
CREATE INDEX "agent_upgrade_targets_node_id_state_idx" ON "agent_upgrade_targets"("node_id", "state");

-- CreateIndex
CREATE INDEX "agent_upgrade_targets_state_idx" ON "agent_upgrade_targets"("state");

-- AddForeignKey
ALTER TABLE "agent_upgrades" ADD CONSTRAINT "agent_upgrades_cluster_id_fkey" FOREIGN KEY ("cluster_id") REFERENCES "clusters"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "agent_upgrades" ADD CONSTRAINT "agent_upgrades_node_id_fkey" FOREIGN KEY ("node_id") REFERENCES "nodes"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "agent_upgrade_targets" ADD CONSTRAINT "agent_upgrade_targets_upgrade_id_fkey" FOREIGN KEY ("upgrade_id") REFERENCES "agent_upgrades"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "agent_upgrade_targets" ADD CONSTRAINT "agent_upgrade_targets_node_id_fkey" FOREIGN KEY ("node_id") REFERENCES "nodes"("id") ON DELETE CASCADE ON UPDATE CASCADE;
