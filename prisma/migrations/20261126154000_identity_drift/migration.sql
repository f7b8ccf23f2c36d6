-- How the Keystone of a cluster was when it was compared last.
ALTER TABLE "identity_services"
  ADD COLUMN "state" TEXT NOT NULL DEFAULT 'unknown',
  ADD COLUMN "state_detail" TEXT NOT NULL DEFAULT '',
  ADD COLUMN "checked_at" TIMESTAMPTZ(3),
  ADD COLUMN "synced_mark" TEXT;
