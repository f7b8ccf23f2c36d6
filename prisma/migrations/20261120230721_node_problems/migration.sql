-- AlterTable
ALTER TABLE "nodes" ADD COLUMN     "problems" JSONB NOT NULL DEFAULT '[]';

-- What the last inventories told already.
UPDATE "nodes" SET "problems" = "inventory" -> 'problems' WHERE jsonb_typeof("inventory" -> 'problems') = 'array';
