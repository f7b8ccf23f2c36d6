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

/** Measures what the usage of devices costs the database when all of them change with each report. */
export async function benchDeviceUsage(): Promise<readonly Row[]> {
  const stage = await openStage()
  const { database, controlPlane } = stage
  try {
    await stage.addFleet(nodes, [['load.load.shortterm']], devices)
    await inventoriesStored(database)
    await sleep(warmUpMs)
    // Each page is written completely once after a checkpoint. PostgreSQL makes one in five minutes; here it is one in two.
    await database.pool.query('checkpoint')
    const server = Number(readFileSync(join(controlPlane.dataDir, 'pgdata/postmaster.pid'), 'utf8').split('\n')[0])
    const before = { cpu: cpuSecondsOfAll(server), wal: await walBytes(database), updates: await updates(database) }
    await sleep(watchedMs)
    const seconds = watchedMs / 1000
    const cpu = ((cpuSecondsOfAll(server) - before.cpu) / seconds) * 100
    const gigabytes = (((await walBytes(database)) - before.wal) / seconds) * 86_400
    const written = ((await updates(database)) - before.updates) / seconds
    return [
      row('CPU of the database, 40,000 devices that all change', cpu, '% of a core', atMost(1)),
      row('its WAL', gigabytes / 1e9, 'GB a day', atMost(15)),
      row('its rows of usage', written, 'rows/s', null),
    ]
  } finally {
    await stage.close()
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
