-- AlterTable
ALTER TABLE "node_deployments" ADD COLUMN     "is_left_out" BOOLEAN NOT NULL DEFAULT false;

-- AlterTable
ALTER TABLE "nodes" ADD COLUMN     "proxy_authentication" TEXT;

-- CreateTable
CREATE TABLE "job_left_out" (
    "job_id" INTEGER NOT NULL,
    "node_id" INTEGER NOT NULL,
    "authentication" TEXT NOT NULL,

    CONSTRAINT "job_left_out_pkey" PRIMARY KEY ("job_id","node_id")
);

-- CreateIndex
CREATE INDEX "job_left_out_node_id_idx" ON "job_left_out"("node_id");

-- AddForeignKey
ALTER TABLE "job_left_out" ADD CONSTRAINT "job_left_out_job_id_fkey" FOREIGN KEY ("job_id") REFERENCES "jobs"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "job_left_out" ADD CONSTRAINT "job_left_out_node_id_fkey" FOREIGN KEY ("node_id") REFERENCES "nodes"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- The page of a node shows it.
DROP TRIGGER "nodes_change_logged" ON "nodes";
CREATE TRIGGER "nodes_change_logged" AFTER UPDATE ON "nodes"
  FOR EACH ROW WHEN (OLD."hostname" IS DISTINCT FROM NEW."hostname" OR OLD."state" IS DISTINCT FROM NEW."state" OR OLD."config_state" IS DISTINCT FROM NEW."config_state" OR OLD."enabled" IS DISTINCT FROM NEW."enabled" OR OLD."agent_version" IS DISTINCT FROM NEW."agent_version" OR OLD."cluster_facing_ip" IS DISTINCT FROM NEW."cluster_facing_ip" OR OLD."outward_facing_ip" IS DISTINCT FROM NEW."outward_facing_ip" OR OLD."replication_facing_ip" IS DISTINCT FROM NEW."replication_facing_ip" OR OLD."other_ips" IS DISTINCT FROM NEW."other_ips" OR OLD."roles_granted" IS DISTINCT FROM NEW."roles_granted" OR OLD."cpu_cores" IS DISTINCT FROM NEW."cpu_cores" OR OLD."memory_bytes" IS DISTINCT FROM NEW."memory_bytes" OR OLD."proxy_authentication" IS DISTINCT FROM NEW."proxy_authentication" OR OLD."problems" IS DISTINCT FROM NEW."problems" OR OLD."judged_problems" IS DISTINCT FROM NEW."judged_problems") EXECUTE FUNCTION "log_node_change"();
