-- CreateTable
-- Half of each page is free, so that an update stays in its page and changes no index.
CREATE TABLE "device_usage" (
    "device_id" INTEGER NOT NULL,
    "total_bytes" BIGINT,
    "free_bytes" BIGINT,
    "available_bytes" BIGINT,
    "last_seen" TIMESTAMPTZ(3),

    CONSTRAINT "device_usage_pkey" PRIMARY KEY ("device_id")
) WITH (fillfactor = 50);

INSERT INTO "device_usage" ("device_id", "total_bytes", "free_bytes", "available_bytes", "last_seen")
SELECT "id", "total_bytes", "free_bytes", "available_bytes", "last_seen" FROM "devices" ORDER BY "id";

-- AddForeignKey
ALTER TABLE "device_usage" ADD CONSTRAINT "device_usage_device_id_fkey" FOREIGN KEY ("device_id") REFERENCES "devices"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AlterTable
ALTER TABLE "devices" DROP COLUMN "available_bytes",
DROP COLUMN "free_bytes",
DROP COLUMN "last_seen",
DROP COLUMN "total_bytes";
