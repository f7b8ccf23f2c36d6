-- CreateTable
CREATE UNLOGGED TABLE "changes" (
    "id" BIGSERIAL NOT NULL,
    "transaction" BIGINT NOT NULL,
    "topic" TEXT NOT NULL,
    "resource" TEXT NOT NULL,
    "record_id" INTEGER NOT NULL,
    "cluster_id" INTEGER,
    "change" TEXT NOT NULL,
    "fields" JSONB,
    "at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "changes_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "changes_transaction_idx" ON "changes"("transaction");

-- Triggers write the log, so that every writer of a record is in it: operators, agents, periodic jobs, other replicas.
-- Columns that change with each heartbeat or reading have no trigger.
CREATE FUNCTION "add_change"("topic" text, "resource" text, "record" integer, "cluster" integer, "operation" text, "old_fields" jsonb, "new_fields" jsonb)
RETURNS void LANGUAGE sql AS $$
  INSERT INTO "changes" ("transaction", "topic", "resource", "record_id", "cluster_id", "change", "fields")
  SELECT pg_current_xact_id()::text::bigint, $1, $2, $3, $4,
         CASE $5 WHEN 'INSERT' THEN 'created' WHEN 'DELETE' THEN 'removed' ELSE 'changed' END,
         (SELECT jsonb_object_agg(f.key, f.value) FROM jsonb_each($7) AS f WHERE $6 -> f.key IS DISTINCT FROM f.value)
$$;

-- Arguments: the topic, the resource, and the short fields that subscribers are sent.
CREATE FUNCTION "log_change"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  old_row jsonb := CASE WHEN TG_OP = 'INSERT' THEN '{}' ELSE to_jsonb(OLD) END;
  new_row jsonb := CASE WHEN TG_OP = 'DELETE' THEN NULL ELSE to_jsonb(NEW) END;
  known jsonb := coalesce(new_row, old_row);
BEGIN
  PERFORM "add_change"(TG_ARGV[0], TG_ARGV[1], (known ->> 'id')::integer, (known ->> 'cluster_id')::integer, TG_OP, old_row,
    (SELECT jsonb_object_agg(f, new_row -> f) FROM unnest(TG_ARGV[2:]) AS f WHERE new_row ? f));
  RETURN NULL;
END $$;

-- Not by log_change: the inventory of a node is large.
CREATE FUNCTION "log_node_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' THEN
    PERFORM "add_change"('nodes', 'nodes', OLD."id", OLD."cluster_id", TG_OP, NULL, NULL);
  ELSE
    PERFORM "add_change"('nodes', 'nodes', NEW."id", NEW."cluster_id", TG_OP,
      CASE TG_OP WHEN 'UPDATE' THEN jsonb_build_object('hostname', OLD."hostname", 'state', OLD."state", 'config_state', OLD."config_state",
        'enabled', OLD."enabled", 'agent_version', OLD."agent_version") ELSE '{}' END,
      jsonb_build_object('hostname', NEW."hostname", 'state', NEW."state", 'config_state', NEW."config_state",
        'enabled', NEW."enabled", 'agent_version', NEW."agent_version"));
  END IF;
  RETURN NULL;
END $$;

CREATE FUNCTION "log_role_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM "add_change"('nodes', 'nodes', n."id", n."cluster_id", 'UPDATE', NULL, NULL) FROM "nodes" n WHERE n."id" = NEW."node_id";
  RETURN NULL;
END $$;

CREATE FUNCTION "log_drift_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM "add_change"('drift', 'nodes', n."id", n."cluster_id", 'UPDATE', NULL, NULL) FROM "nodes" n WHERE n."id" = NEW."node_id";
  RETURN NULL;
END $$;

CREATE FUNCTION "log_job_change"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  job "jobs";
BEGIN
  IF TG_OP = 'DELETE' THEN job := OLD; ELSE job := NEW; END IF;
  PERFORM "add_change"('jobs', CASE job."kind" WHEN 'gateway' THEN 'gateway_deployments' ELSE 'user_db_deployments' END,
    job."id", job."cluster_id", TG_OP, CASE TG_OP WHEN 'UPDATE' THEN jsonb_build_object('state', OLD."state") ELSE '{}' END,
    CASE WHEN TG_OP <> 'DELETE' THEN jsonb_build_object('state', NEW."state") END);
  RETURN NULL;
END $$;

CREATE FUNCTION "log_job_target_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM "add_change"('jobs', CASE j."kind" WHEN 'gateway' THEN 'gateway_deployments' ELSE 'user_db_deployments' END,
    j."id", j."cluster_id", 'UPDATE', NULL, NULL) FROM "jobs" j WHERE j."id" = NEW."job_id";
  RETURN NULL;
END $$;

CREATE FUNCTION "log_upgrade_target_change"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM "add_change"('jobs', 'agent_upgrades', u."id", u."cluster_id", 'UPDATE', NULL, NULL) FROM "agent_upgrades" u WHERE u."id" = NEW."upgrade_id";
  RETURN NULL;
END $$;

CREATE TRIGGER "nodes_logged" AFTER INSERT OR DELETE ON "nodes" FOR EACH ROW EXECUTE FUNCTION "log_node_change"();
CREATE TRIGGER "nodes_change_logged" AFTER UPDATE ON "nodes"
  FOR EACH ROW WHEN (OLD."hostname" IS DISTINCT FROM NEW."hostname" OR OLD."state" IS DISTINCT FROM NEW."state" OR OLD."config_state" IS DISTINCT FROM NEW."config_state" OR OLD."enabled" IS DISTINCT FROM NEW."enabled" OR OLD."agent_version" IS DISTINCT FROM NEW."agent_version" OR OLD."cluster_facing_ip" IS DISTINCT FROM NEW."cluster_facing_ip" OR OLD."outward_facing_ip" IS DISTINCT FROM NEW."outward_facing_ip" OR OLD."replication_facing_ip" IS DISTINCT FROM NEW."replication_facing_ip" OR OLD."other_ips" IS DISTINCT FROM NEW."other_ips" OR OLD."roles_granted" IS DISTINCT FROM NEW."roles_granted" OR OLD."cpu_cores" IS DISTINCT FROM NEW."cpu_cores" OR OLD."memory_bytes" IS DISTINCT FROM NEW."memory_bytes" OR OLD."problems" IS DISTINCT FROM NEW."problems" OR OLD."judged_problems" IS DISTINCT FROM NEW."judged_problems") EXECUTE FUNCTION "log_node_change"();
CREATE TRIGGER "node_roles_logged" AFTER INSERT ON "node_roles" FOR EACH ROW EXECUTE FUNCTION "log_role_change"();
CREATE TRIGGER "node_roles_change_logged" AFTER UPDATE ON "node_roles"
  FOR EACH ROW WHEN (OLD IS DISTINCT FROM NEW) EXECUTE FUNCTION "log_role_change"();
CREATE TRIGGER "node_deployments_logged" AFTER INSERT ON "node_deployments"
  FOR EACH ROW WHEN (NEW."drift" <> '[]') EXECUTE FUNCTION "log_drift_change"();
CREATE TRIGGER "node_deployments_change_logged" AFTER UPDATE ON "node_deployments"
  FOR EACH ROW WHEN (OLD."drift" IS DISTINCT FROM NEW."drift") EXECUTE FUNCTION "log_drift_change"();
CREATE TRIGGER "devices_logged" AFTER INSERT OR DELETE ON "devices"
  FOR EACH ROW EXECUTE FUNCTION "log_change"('devices', 'devices', 'name', 'status');
CREATE TRIGGER "devices_change_logged" AFTER UPDATE ON "devices"
  FOR EACH ROW WHEN (OLD IS DISTINCT FROM NEW) EXECUTE FUNCTION "log_change"('devices', 'devices', 'name', 'status');
CREATE TRIGGER "gateway_shares_logged" AFTER INSERT OR DELETE ON "gateway_shares"
  FOR EACH ROW EXECUTE FUNCTION "log_change"('shares', 'gateway_shares', 'name', 'enabled');
CREATE TRIGGER "gateway_shares_change_logged" AFTER UPDATE ON "gateway_shares"
  FOR EACH ROW WHEN (OLD."revision" IS DISTINCT FROM NEW."revision" OR OLD."name" IS DISTINCT FROM NEW."name" OR OLD."enabled" IS DISTINCT FROM NEW."enabled") EXECUTE FUNCTION "log_change"('shares', 'gateway_shares', 'name', 'enabled');
CREATE TRIGGER "users_logged" AFTER INSERT OR DELETE ON "users"
  FOR EACH ROW EXECUTE FUNCTION "log_change"('users', 'users', 'name', 'enabled');
CREATE TRIGGER "users_change_logged" AFTER UPDATE ON "users"
  FOR EACH ROW WHEN (OLD."revision" IS DISTINCT FROM NEW."revision" OR OLD."name" IS DISTINCT FROM NEW."name" OR OLD."enabled" IS DISTINCT FROM NEW."enabled" OR OLD."project_id" IS DISTINCT FROM NEW."project_id" OR OLD."login" IS DISTINCT FROM NEW."login") EXECUTE FUNCTION "log_change"('users', 'users', 'name', 'enabled');
CREATE TRIGGER "jobs_logged" AFTER INSERT OR DELETE ON "jobs" FOR EACH ROW EXECUTE FUNCTION "log_job_change"();
CREATE TRIGGER "jobs_change_logged" AFTER UPDATE ON "jobs"
  FOR EACH ROW WHEN (OLD."state" IS DISTINCT FROM NEW."state" OR OLD."message" IS DISTINCT FROM NEW."message" OR OLD."started_at" IS DISTINCT FROM NEW."started_at" OR OLD."finished_at" IS DISTINCT FROM NEW."finished_at" OR OLD."confirmed_at" IS DISTINCT FROM NEW."confirmed_at" OR OLD."plan_id" IS DISTINCT FROM NEW."plan_id") EXECUTE FUNCTION "log_job_change"();
CREATE TRIGGER "job_targets_change_logged" AFTER UPDATE ON "job_targets"
  FOR EACH ROW WHEN (OLD."state" IS DISTINCT FROM NEW."state" OR OLD."message" IS DISTINCT FROM NEW."message" OR OLD."begun" IS DISTINCT FROM NEW."begun" OR OLD."answered" IS DISTINCT FROM NEW."answered" OR OLD."unconfirmed" IS DISTINCT FROM NEW."unconfirmed" OR OLD."generation" IS DISTINCT FROM NEW."generation") EXECUTE FUNCTION "log_job_target_change"();
CREATE TRIGGER "identity_targets_change_logged" AFTER UPDATE ON "identity_targets"
  FOR EACH ROW WHEN (OLD."state" IS DISTINCT FROM NEW."state" OR OLD."message" IS DISTINCT FROM NEW."message") EXECUTE FUNCTION "log_job_target_change"();
CREATE TRIGGER "agent_upgrades_logged" AFTER INSERT OR DELETE ON "agent_upgrades"
  FOR EACH ROW EXECUTE FUNCTION "log_change"('jobs', 'agent_upgrades', 'state');
CREATE TRIGGER "agent_upgrades_change_logged" AFTER UPDATE ON "agent_upgrades"
  FOR EACH ROW WHEN (OLD."state" IS DISTINCT FROM NEW."state" OR OLD."message" IS DISTINCT FROM NEW."message" OR OLD."started_at" IS DISTINCT FROM NEW."started_at" OR OLD."finished_at" IS DISTINCT FROM NEW."finished_at") EXECUTE FUNCTION "log_change"('jobs', 'agent_upgrades', 'state');
CREATE TRIGGER "agent_upgrade_targets_change_logged" AFTER UPDATE ON "agent_upgrade_targets"
  FOR EACH ROW WHEN (OLD."state" IS DISTINCT FROM NEW."state" OR OLD."message" IS DISTINCT FROM NEW."message") EXECUTE FUNCTION "log_upgrade_target_change"();
CREATE TRIGGER "alerts_logged" AFTER INSERT OR DELETE ON "alerts"
  FOR EACH ROW EXECUTE FUNCTION "log_change"('alerts', 'alerts', 'code', 'severity', 'state');
CREATE TRIGGER "alerts_change_logged" AFTER UPDATE ON "alerts"
  FOR EACH ROW WHEN (OLD."state" IS DISTINCT FROM NEW."state" OR OLD."severity" IS DISTINCT FROM NEW."severity" OR OLD."summary" IS DISTINCT FROM NEW."summary" OR OLD."acknowledged_at" IS DISTINCT FROM NEW."acknowledged_at") EXECUTE FUNCTION "log_change"('alerts', 'alerts', 'code', 'severity', 'state');
CREATE TRIGGER "audit_events_logged" AFTER INSERT ON "audit_events"
  FOR EACH ROW EXECUTE FUNCTION "log_change"('audit', 'audit_events', 'operator', 'action', 'resource', 'resource_id');
CREATE TRIGGER "sessions_opened" AFTER INSERT ON "api_keys"
  FOR EACH ROW WHEN (NEW."kind" = 'session') EXECUTE FUNCTION "log_change"('sessions', 'sessions');
CREATE TRIGGER "sessions_ended" AFTER DELETE ON "api_keys"
  FOR EACH ROW WHEN (OLD."kind" = 'session') EXECUTE FUNCTION "log_change"('sessions', 'sessions');
