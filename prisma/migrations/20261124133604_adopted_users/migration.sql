-- AlterTable
ALTER TABLE "users" ADD COLUMN     "adopted_account" TEXT,
ADD COLUMN     "adopted_groups" TEXT[] DEFAULT ARRAY[]::TEXT[],
ADD COLUMN     "adopted_identity_user" TEXT,
ADD COLUMN     "adopted_line" TEXT,
ALTER COLUMN "password" DROP NOT NULL;

-- CreateTable
CREATE TABLE "removed_adoptions" (
    "cluster_id" INTEGER NOT NULL,
    "source" TEXT NOT NULL,
    "login" TEXT NOT NULL,
    "project_id" TEXT,
    "removed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "removed_adoptions_pkey" PRIMARY KEY ("cluster_id","source")
);

-- AddForeignKey
ALTER TABLE "removed_adoptions" ADD CONSTRAINT "removed_adoptions_cluster_id_fkey" FOREIGN KEY ("cluster_id") REFERENCES "clusters"("id") ON DELETE CASCADE ON UPDATE CASCADE;
