-- AlterTable
ALTER TABLE "operators" ADD COLUMN     "preferences" JSONB NOT NULL DEFAULT '{}';

-- CreateTable
CREATE TABLE "views" (
    "id" SERIAL NOT NULL,
    "operator_id" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "address" TEXT NOT NULL,

    CONSTRAINT "views_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "views_operator_id_id_idx" ON "views"("operator_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "views_operator_id_name_key" ON "views"("operator_id", "name");

-- AddForeignKey
ALTER TABLE "views" ADD CONSTRAINT "views_operator_id_fkey" FOREIGN KEY ("operator_id") REFERENCES "operators"("id") ON DELETE CASCADE ON UPDATE CASCADE;
