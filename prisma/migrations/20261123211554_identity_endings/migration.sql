-- AlterTable
ALTER TABLE "identity_targets" ADD COLUMN     "wait_until" TIMESTAMPTZ(3);

-- CreateTable
CREATE TABLE "identity_endings" (
    "cluster_id" INTEGER NOT NULL,
    "identity_user_id" TEXT NOT NULL,
    "since" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "identity_endings_pkey" PRIMARY KEY ("cluster_id","identity_user_id")
);

-- AddForeignKey
ALTER TABLE "identity_endings" ADD CONSTRAINT "identity_endings_cluster_id_fkey" FOREIGN KEY ("cluster_id") REFERENCES "clusters"("id") ON DELETE CASCADE ON UPDATE CASCADE;
