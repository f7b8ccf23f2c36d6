-- CreateTable
CREATE TABLE "device_counts" (
    "cluster_id" INTEGER NOT NULL,
    "devices" INTEGER NOT NULL,

    CONSTRAINT "device_counts_pkey" PRIMARY KEY ("cluster_id")
);

-- AddForeignKey
ALTER TABLE "device_counts" ADD CONSTRAINT "device_counts_cluster_id_fkey" FOREIGN KEY ("cluster_id") REFERENCES "clusters"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- The counts follow their table by triggers, a statement at a time. A device never changes its
-- cluster, and the inventories of a cluster take turns. A cluster that is being deleted may have lost its row already.
CREATE FUNCTION "count_devices"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO "device_counts" AS c ("cluster_id", "devices")
    SELECT "cluster_id", count(*) FROM "new_rows" GROUP BY 1 ORDER BY 1
    ON CONFLICT ("cluster_id") DO UPDATE SET "devices" = c."devices" + excluded."devices";
  ELSE
    UPDATE "device_counts" AS c SET "devices" = c."devices" - o."n"
    FROM (SELECT "cluster_id", count(*) AS "n" FROM "old_rows" GROUP BY 1) AS o WHERE c."cluster_id" = o."cluster_id";
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER "devices_counted_in" AFTER INSERT ON "devices"
  REFERENCING NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "count_devices"();
CREATE TRIGGER "devices_counted_out" AFTER DELETE ON "devices"
  REFERENCING OLD TABLE AS "old_rows" FOR EACH STATEMENT EXECUTE FUNCTION "count_devices"();

INSERT INTO "device_counts" SELECT "cluster_id", count(*) FROM "devices" GROUP BY 1;
