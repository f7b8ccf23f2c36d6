-- CreateTable
CREATE TABLE "share_counts" (
    "node_id" INTEGER NOT NULL,
    "protocol" TEXT NOT NULL,
    "enabled" BOOLEAN NOT NULL,
    "shares" INTEGER NOT NULL,

    CONSTRAINT "share_counts_pkey" PRIMARY KEY ("node_id","protocol","enabled")
);

-- CreateTable
CREATE TABLE "user_counts" (
    "cluster_id" INTEGER NOT NULL,
    "users" INTEGER NOT NULL,

    CONSTRAINT "user_counts_pkey" PRIMARY KEY ("cluster_id")
);

-- AddForeignKey
ALTER TABLE "share_counts" ADD CONSTRAINT "share_counts_node_id_fkey" FOREIGN KEY ("node_id") REFERENCES "nodes"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "user_counts" ADD CONSTRAINT "user_counts_cluster_id_fkey" FOREIGN KEY ("cluster_id") REFERENCES "clusters"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- The counts follow their tables by triggers, a statement at a time. Rows are touched in one order, or two statements
-- could wait for each other.
CREATE FUNCTION "count_users"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO "user_counts" AS c ("cluster_id", "users")
    SELECT "cluster_id", count(*) FROM "new_rows" GROUP BY 1 ORDER BY 1
    ON CONFLICT ("cluster_id") DO UPDATE SET "users" = c."users" + excluded."users";
  ELSE
    INSERT INTO "user_counts" AS c ("cluster_id", "users")
    SELECT "cluster_id", -count(*) FROM "old_rows" GROUP BY 1 ORDER BY 1
    ON CONFLICT ("cluster_id") DO UPDATE SET "users" = c."users" + excluded."users";
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER "users_counted_in" AFTER INSERT ON "users"
  REFERENCING NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "count_users"();
CREATE TRIGGER "users_counted_out" AFTER DELETE ON "users"
  REFERENCING OLD TABLE AS "old_rows" FOR EACH STATEMENT EXECUTE FUNCTION "count_users"();

CREATE FUNCTION "count_shares"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO "share_counts" AS c ("node_id", "protocol", "enabled", "shares")
    SELECT "node_id", "protocol", "enabled", count(*) FROM "new_rows" GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
    ON CONFLICT ("node_id", "protocol", "enabled") DO UPDATE SET "shares" = c."shares" + excluded."shares";
  ELSIF TG_OP = 'DELETE' THEN
    INSERT INTO "share_counts" AS c ("node_id", "protocol", "enabled", "shares")
    SELECT "node_id", "protocol", "enabled", -count(*) FROM "old_rows" GROUP BY 1, 2, 3 ORDER BY 1, 2, 3
    ON CONFLICT ("node_id", "protocol", "enabled") DO UPDATE SET "shares" = c."shares" + excluded."shares";
  ELSE
    INSERT INTO "share_counts" AS c ("node_id", "protocol", "enabled", "shares")
    SELECT "node_id", "protocol", "enabled", sum("n") FROM (
      SELECT "node_id", "protocol", "enabled", 1 AS "n" FROM "new_rows"
      UNION ALL
      SELECT "node_id", "protocol", "enabled", -1 FROM "old_rows"
    ) AS "moved" GROUP BY 1, 2, 3 HAVING sum("n") <> 0 ORDER BY 1, 2, 3
    ON CONFLICT ("node_id", "protocol", "enabled") DO UPDATE SET "shares" = c."shares" + excluded."shares";
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER "shares_counted_in" AFTER INSERT ON "gateway_shares"
  REFERENCING NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "count_shares"();
CREATE TRIGGER "shares_counted_out" AFTER DELETE ON "gateway_shares"
  REFERENCING OLD TABLE AS "old_rows" FOR EACH STATEMENT EXECUTE FUNCTION "count_shares"();
CREATE TRIGGER "shares_counted_over" AFTER UPDATE ON "gateway_shares"
  REFERENCING OLD TABLE AS "old_rows" NEW TABLE AS "new_rows" FOR EACH STATEMENT EXECUTE FUNCTION "count_shares"();

INSERT INTO "user_counts" SELECT "cluster_id", count(*) FROM "users" GROUP BY 1;
INSERT INTO "share_counts" SELECT "node_id", "protocol", "enabled", count(*) FROM "gateway_shares" GROUP BY 1, 2, 3;
