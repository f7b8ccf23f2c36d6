-- AlterTable
ALTER TABLE "users" ADD COLUMN     "identity_password_revision" INTEGER,
ADD COLUMN     "login" TEXT,
ADD COLUMN     "password_revision" INTEGER NOT NULL DEFAULT 1,
ADD COLUMN     "project_id" TEXT;

-- CreateTable
CREATE TABLE "identity_services" (
    "cluster_id" INTEGER NOT NULL,
    "auth_url" TEXT NOT NULL,
    "user" TEXT,
    "user_domain" TEXT,
    "project" TEXT,
    "project_domain" TEXT,
    "application_credential_id" TEXT,
    "ca" TEXT,
    "key" BYTEA NOT NULL,
    "domain" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    "reseller_role" TEXT NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "identity_services_pkey" PRIMARY KEY ("cluster_id")
);

-- CreateTable
CREATE TABLE "identity_targets" (
    "job_id" INTEGER NOT NULL,
    "state" TEXT NOT NULL,
    "message" TEXT NOT NULL DEFAULT '',
    "begun" BOOLEAN NOT NULL DEFAULT false,
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "plan" JSONB,
    "plan_mark" TEXT,

    CONSTRAINT "identity_targets_pkey" PRIMARY KEY ("job_id")
);

-- AddForeignKey
ALTER TABLE "identity_services" ADD CONSTRAINT "identity_services_cluster_id_fkey" FOREIGN KEY ("cluster_id") REFERENCES "clusters"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "identity_targets" ADD CONSTRAINT "identity_targets_job_id_fkey" FOREIGN KEY ("job_id") REFERENCES "jobs"("id") ON DELETE CASCADE ON UPDATE CASCADE;
