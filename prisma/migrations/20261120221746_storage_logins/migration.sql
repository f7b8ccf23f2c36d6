-- CreateTable
CREATE TABLE "storage_logins" (
    "cluster_id" INTEGER NOT NULL,
    "auth_url" TEXT NOT NULL,
    "user" TEXT NOT NULL,
    "key" BYTEA NOT NULL,
    "updated_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "storage_logins_pkey" PRIMARY KEY ("cluster_id")
);

-- AddForeignKey
ALTER TABLE "storage_logins" ADD CONSTRAINT "storage_logins_cluster_id_fkey" FOREIGN KEY ("cluster_id") REFERENCES "clusters"("id") ON DELETE CASCADE ON UPDATE CASCADE;
