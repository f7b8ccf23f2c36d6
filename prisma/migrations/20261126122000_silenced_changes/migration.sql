-- An alert that becomes silent, or is silent no longer, has changed for those who follow alerts.
DROP TRIGGER "alerts_change_logged" ON "alerts";
CREATE TRIGGER "alerts_change_logged" AFTER UPDATE ON "alerts"
  FOR EACH ROW WHEN (OLD."state" IS DISTINCT FROM NEW."state" OR OLD."severity" IS DISTINCT FROM NEW."severity" OR OLD."summary" IS DISTINCT FROM NEW."summary" OR OLD."acknowledged_at" IS DISTINCT FROM NEW."acknowledged_at" OR OLD."silenced_until" IS DISTINCT FROM NEW."silenced_until") EXECUTE FUNCTION "log_change"('alerts', 'alerts', 'code', 'severity', 'state');
