import type { DailyMaximum } from '@roost/capacity-core'
import type { Database } from '../database/database.js'

/** The usage of a device on a day. */
export interface DeviceDay {
  readonly id: number
  readonly usedBytes: number
  readonly rawBytes: number
}

/** The capacity of a set of policies on a day. */
export interface CapacityDay {
  readonly clusterId: number
  /** Indexes of its policies: `0,2`. */
  readonly policySet: string
  readonly rawBytes: number
  readonly usedBytes: number
  readonly freeBytes: number
  readonly fullestPct: number
  readonly pct95: number
}

/** The days of a device, ascending, and its size on the last of them. */
export interface DeviceDays {
  readonly id: number
  readonly rawBytes: number
  readonly days: readonly DailyMaximum[]
}

/** The days of a set of policies, ascending, with a value of each in the order of days. */
export interface CapacityDays {
  readonly policySet: string
  readonly days: readonly number[]
  readonly rawBytes: readonly number[]
  readonly usedBytes: readonly number[]
  readonly freeBytes: readonly number[]
  readonly fullestPct: readonly number[]
  readonly pct95: readonly number[]
}

/** Days are numbers since 1970-01-01, UTC. What has more used bytes than the stored reading of the same day replaces it. */
export interface DayStore {
  saveDevices(day: number, devices: readonly DeviceDay[]): Promise<void>
  saveSets(day: number, sets: readonly CapacityDay[]): Promise<void>
  /** Returns the days of a cluster's sets of policies since a day, ascending. */
  daysOfSets(clusterId: number, since: number): Promise<ReadonlyMap<string, readonly DailyMaximum[]>>
  /** Returns all that is known of the sets of a cluster from one day to another, both included. */
  capacityOfDays(clusterId: number, from: number, to: number): Promise<readonly CapacityDays[]>
  /** Returns at most `count` devices that have days since a day, by id, after that of `id`. */
  daysOfDevices(since: number, afterId: number, count: number): Promise<readonly DeviceDays[]>
}

const batchRows = 10_000

export function createDayStore({ prisma }: Pick<Database, 'prisma'>): DayStore {
  return {
    async saveDevices(day, devices) {
      for (let from = 0; from < devices.length; from += batchRows) {
        const batch = devices.slice(from, from + batchRows)
        await prisma.$executeRaw`
          insert into device_days as stored (device_id, day, used_bytes, raw_bytes)
          select d.id, date '1970-01-01' + ${day}::int, reported.used, reported.raw
          from unnest(${batch.map(({ id }) => id)}::int[], ${batch.map(({ usedBytes }) => usedBytes)}::float8[],
            ${batch.map(({ rawBytes }) => rawBytes)}::float8[]) as reported (id, used, raw)
          join devices d on d.id = reported.id
          on conflict (device_id, day) do update set used_bytes = excluded.used_bytes, raw_bytes = excluded.raw_bytes
          where excluded.used_bytes > stored.used_bytes`
      }
    },
    saveSets: (day, sets) => saveSets(prisma, day, sets),
    async daysOfSets(clusterId, since) {
      const rows = await prisma.$queryRaw<{ set: string; days: number[]; used: number[] }[]>`
        select policy_set as set, array_agg(day - date '1970-01-01' order by day) as days,
          array_agg(used_bytes::float8 order by day) as used
        from capacity_days where cluster_id = ${clusterId} and day >= date '1970-01-01' + ${since}::int
        group by policy_set`
      return new Map(rows.map(({ set, days, used }) => [set, maxima(days, used)]))
    },
    capacityOfDays: (clusterId, from, to) => prisma.$queryRaw`
      select policy_set as "policySet", array_agg(day - date '1970-01-01' order by day) as days,
        array_agg(raw_bytes::float8 order by day) as "rawBytes", array_agg(used_bytes::float8 order by day) as "usedBytes",
        array_agg(free_bytes::float8 order by day) as "freeBytes", array_agg(fullest_pct order by day) as "fullestPct",
        array_agg(pct_95 order by day) as pct95
      from capacity_days
      where cluster_id = ${clusterId}
        and day between date '1970-01-01' + ${from}::int and date '1970-01-01' + ${to}::int
      group by policy_set`,
    async daysOfDevices(since, afterId, count) {
      const rows = await prisma.$queryRaw<{ id: number; days: number[]; used: number[]; raw: number }[]>`
        select device_id as id, array_agg(day - date '1970-01-01' order by day) as days,
          array_agg(used_bytes::float8 order by day) as used,
          (array_agg(raw_bytes::float8 order by day desc))[1] as raw
        from device_days
        where day >= date '1970-01-01' + ${since}::int
          and device_id in (
            select distinct device_id from device_days
            where device_id > ${afterId} and day >= date '1970-01-01' + ${since}::int order by device_id limit ${count})
        group by device_id order by device_id`
      return rows.map(({ id, days, used, raw }) => ({ id, rawBytes: raw, days: maxima(days, used) }))
    },
  }
}

function maxima(days: readonly number[], used: readonly number[]): readonly DailyMaximum[] {
  return days.map((day, i) => ({ day, usedBytes: used[i] as number }))
}

async function saveSets(prisma: Database['prisma'], day: number, sets: readonly CapacityDay[]): Promise<void> {
  const column = <K extends keyof CapacityDay>(name: K) => sets.map((set) => set[name])
  await prisma.$executeRaw`
    insert into capacity_days as stored
      (cluster_id, policy_set, day, raw_bytes, used_bytes, free_bytes, fullest_pct, pct_95)
    select c.id, s.policy_set, date '1970-01-01' + ${day}::int, s.raw, s.used, s.free, s.fullest, s.pct95
    from unnest(${column('clusterId')}::int[], ${column('policySet')}::text[], ${column('rawBytes')}::float8[],
      ${column('usedBytes')}::float8[], ${column('freeBytes')}::float8[], ${column('fullestPct')}::float8[],
      ${column('pct95')}::float8[]) as s (cluster_id, policy_set, raw, used, free, fullest, pct95)
    join clusters c on c.id = s.cluster_id
    on conflict (cluster_id, policy_set, day) do update set raw_bytes = excluded.raw_bytes,
      used_bytes = excluded.used_bytes, free_bytes = excluded.free_bytes, fullest_pct = excluded.fullest_pct,
      pct_95 = excluded.pct_95
    where excluded.used_bytes > stored.used_bytes`
}
