import type { DaysUntilFull } from '@roost/capacity-core'
import type { Database } from '../database/database.js'

/** The forecast of a device; null if there is none for it. */
export interface DeviceForecast {
  readonly id: number
  readonly daysUntilFull: DaysUntilFull | null
}

/** The device of a set of policies that will be full first. */
export interface FirstFull {
  readonly id: number
  readonly daysUntilFull: DaysUntilFull
}

export interface ForecastStore {
  save(forecasts: readonly DeviceForecast[], madeAt: Date): Promise<void>
  /** Returns the device that will be full first, by set of policies: `0,2`. */
  firstFull(clusterId: number): Promise<ReadonlyMap<string, FirstFull>>
}

interface FirstFullRow extends DaysUntilFull {
  readonly set: string
  readonly id: number
}

export function createForecastStore({ prisma }: Pick<Database, 'prisma'>): ForecastStore {
  return {
    async save(forecasts, madeAt) {
      const column = (name: keyof DaysUntilFull) => forecasts.map(({ daysUntilFull }) => daysUntilFull?.[name] ?? null)
      await prisma.$executeRaw`
        insert into device_forecasts as stored (device_id, early, middle, late, made_at)
        select d.id, f.early, f.middle, f.late, ${madeAt}
        from unnest(${forecasts.map(({ id }) => id)}::int[], ${column('early')}::float8[],
          ${column('middle')}::float8[], ${column('late')}::float8[]) as f (id, early, middle, late)
        join devices d on d.id = f.id
        on conflict (device_id) do update
        set early = excluded.early, middle = excluded.middle, late = excluded.late, made_at = excluded.made_at
        where (stored.early, stored.middle, stored.late)
          is distinct from (excluded.early, excluded.middle, excluded.late)`
    },
    async firstFull(clusterId) {
      const rows = await prisma.$queryRaw<FirstFullRow[]>`
        select distinct on (sets.set) sets.set, f.device_id as id, f.early, f.middle, f.late
        from devices d
        join device_forecasts f on f.device_id = d.id
        join (
          select dp.device_id, string_agg(p.index::text, ',' order by p.index) as set
          from device_policies dp join storage_policies p on p.id = dp.policy_id group by dp.device_id
        ) sets on sets.device_id = d.id
        where d.cluster_id = ${clusterId} and d.agent_key is not null and f.middle is not null
        order by sets.set, f.middle, f.device_id`
      return new Map(
        rows.map(({ set, id, early, middle, late }) => [set, { id, daysUntilFull: { early, middle, late } }]),
      )
    },
  }
}
