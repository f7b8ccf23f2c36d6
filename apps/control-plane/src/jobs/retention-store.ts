import type { Database } from '../database/database.js'

/** Removes at most `rows` rows from before `at`; returns the number removed. */
type DeleteBefore = (at: Date, rows: number) => Promise<number>

export interface RetentionStore {
  readonly auditEvents: DeleteBefore
  /** Removes finished deployments and upgrades with their targets, except upgrades that a node still has to get. */
  readonly finishedJobs: DeleteBefore
  readonly idempotencyKeys: DeleteBefore
  readonly resolvedAlerts: DeleteBefore
  readonly alertDeliveries: DeleteBefore
  readonly endedSilences: DeleteBefore
  /** Removes the days of devices and of sets of policies. */
  readonly capacityDays: DeleteBefore
}

export function createRetentionStore({ prisma }: Pick<Database, 'prisma'>): RetentionStore {
  return {
    auditEvents: (at, rows) => prisma.$executeRaw`delete from audit_events where ctid = any(array(
      select ctid from audit_events where at < ${at} order by at limit ${rows}))`,
    async finishedJobs(at, rows) {
      // Removing a job removes its targets, too; it may have hundreds.
      const most = Math.ceil(rows / 100)
      const deployments = await prisma.$executeRaw`delete from jobs where ctid = any(array(
        select ctid from jobs where finished_at < ${at} order by finished_at limit ${most}))`
      const upgrades = await prisma.$executeRaw`delete from agent_upgrades where ctid = any(array(
        select ctid from agent_upgrades where finished_at < ${at} and not exists (select from agent_upgrade_targets
          where upgrade_id = agent_upgrades.id and state in ('offline', 'upgrading')) limit ${most}))`
      return deployments + upgrades
    },
    idempotencyKeys: (at, rows) => prisma.$executeRaw`delete from idempotency_keys where ctid = any(array(
      select ctid from idempotency_keys where created_at < ${at} order by created_at limit ${rows}))`,
    resolvedAlerts: (at, rows) => prisma.$executeRaw`delete from alerts where ctid = any(array(
      select ctid from alerts where resolved_at < ${at} order by resolved_at limit ${rows}))`,
    alertDeliveries: (at, rows) => prisma.$executeRaw`delete from alert_deliveries where ctid = any(array(
      select ctid from alert_deliveries where ended_at < ${at} order by ended_at limit ${rows}))`,
    endedSilences: (at, rows) => prisma.$executeRaw`delete from alert_silences where ctid = any(array(
      select ctid from alert_silences where ends_at < ${at} order by ends_at limit ${rows}))`,
    async capacityDays(at, rows) {
      const devices = await prisma.$executeRaw`delete from device_days where ctid = any(array(
        select ctid from device_days where day < ${at}::date order by day limit ${rows}))`
      const sets = await prisma.$executeRaw`delete from capacity_days where ctid = any(array(
        select ctid from capacity_days where day < ${at}::date order by day limit ${rows}))`
      return devices + sets
    },
  }
}
