-- CreateTable
CREATE TABLE "jobs" (
    "id" SERIAL NOT NULL,
    "kind" TEXT NOT NULL,
    "node_id" INTEGER,
    "cluster_id" INTEGER NOT NULL,
    "state" TEXT NOT NULL,
    "dry_run" BOOLEAN NOT NULL DEFAULT false,
    "plan_id" TEXT,
    "return_to" INTEGER,
    "message" TEXT NOT NULL DEFAULT '',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "started_at" TIMESTAMPTZ(3),
    "finished_at" TIMESTAMPTZ(3),

    CONSTRAINT "jobs_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "job_targets" (
    "job_id" INTEGER NOT NULL,
    "node_id" INTEGER NOT NULL,
    "state" TEXT NOT NULL,
    "message" TEXT NOT NULL DEFAULT '',
    "begun" BOOLEAN NOT NULL DEFAULT false,
    "answered" BOOLEAN NOT NULL DEFAULT false,
    "generation" INTEGER,
    "plan" JSONB,
    "plan_mark" TEXT,
    "deadline" TIMESTAMPTZ(3),

    CONSTRAINT "job_targets_pkey" PRIMARY KEY ("job_id","node_id")
);

-- CreateTable
CREATE TABLE "node_deployments" (
    "node_id" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "desired" INTEGER NOT NULL DEFAULT 0,
    "in_force" INTEGER NOT NULL DEFAULT 0,
    "outcome" TEXT,
    "message" TEXT NOT NULL DEFAULT '',
    "drift" JSONB NOT NULL DEFAULT '[]',
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "node_deployments_pkey" PRIMARY KEY ("node_id","kind")
);

-- CreateTable
CREATE TABLE "generations" (
    "node_id" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "generation" INTEGER NOT NULL,
    "payload" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "generations_pkey" PRIMARY KEY ("node_id","kind","generation")
);

-- CreateIndex
CREATE INDEX "jobs_kind_state_id_idx" ON "jobs"("kind", "state", "id");

-- CreateIndex
CREATE INDEX "jobs_cluster_id_id_idx" ON "jobs"("cluster_id", "id");

-- CreateIndex
CREATE INDEX "jobs_node_id_id_idx" ON "jobs"("node_id", "id");

-- CreateIndex
CREATE INDEX "job_targets_node_id_state_idx" ON "job_targets"("node_id", "state");

-- AddForeignKey
ALTER TABLE "jobs" ADD CONSTRAINT "jobs_cluster_id_fkey" FOREIGN KEY ("cluster_id") REFERENCES "clusters"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "jobs" ADD CONSTRAINT "jobs_node_id_fkey" FOREIGN KEY ("node_id") REFERENCES "nodes"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "job_targets" ADD CONSTRAINT "job_targets_job_id_fkey" FOREIGN KEY ("job_id") REFERENCES "jobs"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "job_targets" ADD CONSTRAINT "job_targets_node_id_fkey" FOREIGN KEY ("node_id") REFERENCES "nodes"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "node_deployments" ADD CONSTRAINT "node_deployments_node_id_fkey" FOREIGN KEY ("node_id") REFERENCES "nodes"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "generations" ADD CONSTRAINT "generations_node_id_fkey" FOREIGN KEY ("node_id") REFERENCES "nodes"("id") ON DELETE CASCADE ON UPDATE CASCADE;
