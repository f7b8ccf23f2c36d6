import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '@roost/database'
import { cpuSecondsOfAll } from './measure.js'
import { atMost, row } from './report.js'
import type { Row } from './report.js'
import { openStage } from './stage.js'

const nodes = 1000
const devices = 40
const warmUpMs = 30_000
const inventoryDeadlineMs = 600_000
const watchedMs = 120_000

/** Measures what the usage of devices costs the database when all of them change with each report, beside what it costs without. */
export async function benchDeviceUsage(): Promise<readonly Row[]> {
  const stage = await openStage()
  const { database, controlPlane } = stage
  const server = Number(readFileSync(join(controlPlane.dataDir, 'pgdata/postmaster.pid'), 'utf8').split('\n')[0])
  try {
    const fleet = await stage.addFleet(nodes, [['load.load.shortterm']], devices)
    await inventoriesStored(database)
    await sleep(warmUpMs)
    const without = await costsOf(database, server)
    fleet.reportUsage()
    await sleep(warmUpMs)
    const all = await costsOf(database, server)
    return [
      row('CPU of the database, 40,000 devices that all change', all.cpu, '% of a core', null),
      row('of that, because of the usage', all.cpu - without.cpu, '% of a core', atMost(1)),
      row('its WAL', all.gigabytes, 'GB a day', atMost(15)),
      row('its rows of usage', all.rows, 'rows/s', null),
    ]
  } finally {
    await stage.close()
  }
}

/** Measures the database: its CPU in % of a core, WAL in GB a day, and rows of usage a second. */
async function costsOf(database: Database, server: number) {
  // Each page is written completely once after a checkpoint. PostgreSQL makes one in five minutes; here it is one in two.
  await database.pool.query('checkpoint')
  const before = { cpu: cpuSecondsOfAll(server), wal: await walBytes(database), updates: await updates(database) }
  await sleep(watchedMs)
  const seconds = watchedMs / 1000
  return {
    cpu: ((cpuSecondsOfAll(server) - before.cpu) / seconds) * 100,
    gigabytes: ((((await walBytes(database)) - before.wal) / seconds) * 86_400) / 1e9,
    rows: ((await updates(database)) - before.updates) / seconds,
  }
}

async function inventoriesStored({ prisma }: Database): Promise<void> {
  for (const end = performance.now() + inventoryDeadlineMs; performance.now() < end; await sleep(1_000))
    if ((await prisma.deviceUsage.count()) === nodes * devices) return
  throw new Error('The inventories of the fleet were not stored in time.')
}

async function walBytes({ pool }: Database): Promise<number> {
  const { rows } = await pool.query<{ bytes: number }>(
    "select pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as bytes",
  )
  return rows[0]?.bytes ?? 0
}

async function updates({ pool }: Database): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    "select n_tup_upd::float8 as count from pg_stat_user_tables where relname = 'device_usage'",
  )
  return rows[0]?.count ?? 0
}
