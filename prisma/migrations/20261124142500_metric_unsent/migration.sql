-- CreateTable
CREATE TABLE "metric_unsent" (
    "id" BIGSERIAL NOT NULL,
    "owner_kind" SMALLINT NOT NULL,
    "owner_id" INTEGER NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "metric_unsent_pkey" PRIMARY KEY ("id")
);
