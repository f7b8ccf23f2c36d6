-- CreateTable
CREATE TABLE "metric_names" (
    "id" SERIAL NOT NULL,
    "name" TEXT NOT NULL,
    "unit" TEXT NOT NULL,

    CONSTRAINT "metric_names_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "metric_columns" (
    "id" SERIAL NOT NULL,
    "digest" TEXT NOT NULL,
    "names" INTEGER[],

    CONSTRAINT "metric_columns_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "metric_node_columns" (
    "node_id" INTEGER NOT NULL,
    "catalogue" BIGINT NOT NULL,
    "columns_id" INTEGER NOT NULL,

    CONSTRAINT "metric_node_columns_pkey" PRIMARY KEY ("node_id","catalogue")
);

-- Partitions are made by the control plane: Prisma has no word for them.
CREATE TABLE "metric_raw" (
    "owner_kind" SMALLINT NOT NULL,
    "owner_id" INTEGER NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "shift_ms" INTEGER NOT NULL,
    "columns_id" INTEGER NOT NULL,
    "head" BYTEA NOT NULL,
    "data" BYTEA NOT NULL,

    CONSTRAINT "metric_raw_pkey" PRIMARY KEY ("owner_kind","owner_id","started_at")
) PARTITION BY RANGE ("started_at");
-- Chunks are compressed already, and a slice of an external value costs its own pages only.
ALTER TABLE "metric_raw" ALTER COLUMN "data" SET STORAGE EXTERNAL, ALTER COLUMN "head" SET STORAGE PLAIN;

-- Partitions are made by the control plane: Prisma has no word for them.
CREATE TABLE "metric_5min" (
    "owner_kind" SMALLINT NOT NULL,
    "owner_id" INTEGER NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "shift_ms" INTEGER NOT NULL,
    "columns_id" INTEGER NOT NULL,
    "head" BYTEA NOT NULL,
    "data" BYTEA NOT NULL,

    CONSTRAINT "metric_5min_pkey" PRIMARY KEY ("owner_kind","owner_id","started_at")
) PARTITION BY RANGE ("started_at");
-- Chunks are compressed already, and a slice of an external value costs its own pages only.
ALTER TABLE "metric_5min" ALTER COLUMN "data" SET STORAGE EXTERNAL, ALTER COLUMN "head" SET STORAGE PLAIN;

-- Partitions are made by the control plane: Prisma has no word for them.
CREATE TABLE "metric_hour" (
    "owner_kind" SMALLINT NOT NULL,
    "owner_id" INTEGER NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "shift_ms" INTEGER NOT NULL,
    "columns_id" INTEGER NOT NULL,
    "head" BYTEA NOT NULL,
    "data" BYTEA NOT NULL,

    CONSTRAINT "metric_hour_pkey" PRIMARY KEY ("owner_kind","owner_id","started_at")
) PARTITION BY RANGE ("started_at");
-- Chunks are compressed already, and a slice of an external value costs its own pages only.
ALTER TABLE "metric_hour" ALTER COLUMN "data" SET STORAGE EXTERNAL, ALTER COLUMN "head" SET STORAGE PLAIN;

-- CreateTable
CREATE TABLE "metric_progress" (
    "owner_kind" SMALLINT NOT NULL,
    "owner_id" INTEGER NOT NULL,
    "level" SMALLINT NOT NULL,
    "until" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "metric_progress_pkey" PRIMARY KEY ("owner_kind","owner_id","level")
);

-- CreateIndex
CREATE UNIQUE INDEX "metric_names_name_key" ON "metric_names"("name");

-- CreateIndex
CREATE UNIQUE INDEX "metric_columns_digest_key" ON "metric_columns"("digest");
