import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { DatabaseError } from '../client/errors.js'
import { advisoryLocks } from '../locks/advisory-locks.js'
import { isAlive } from './postmaster.js'

const cannotConnectNow = '57P03'

/** A connection to the server at that socket; `starting` while it starts or recovers; undefined where none answers. */
export async function tryConnect(socketDir: string): Promise<pg.Client | 'starting' | undefined> {
  const client = new pg.Client({
    host: socketDir,
    user: 'postgres',
    database: 'postgres',
    application_name: `roost owner ${process.pid}`,
    connectionTimeoutMillis: 5_000,
  })
  client.on('error', () => {}) // `end` reports it, too
  try {
    await client.connect()
    return client
  } catch (error) {
    await client.end().catch(() => {})
    return (error as { code?: string }).code === cannotConnectNow ? 'starting' : undefined
  }
}

/** Acquires the owner lock, or ends the connection and throws. A killed owner's lock is free after a moment. */
export async function acquireOwnerLock(client: pg.Client): Promise<void> {
  for (const deadline = Date.now() + 10_000; ; await sleep(50)) {
    const { rows } = await client.query<{ mine: boolean }>('select pg_try_advisory_lock($1) as mine', [
      advisoryLocks.embeddedServer,
    ])
    if (rows[0]?.mine) return
    const holder = await ownerName(client)
    const pid = Number(holder?.match(/^roost owner (\d+)$/)?.[1])
    if (Date.now() < deadline && !isAlive(pid)) continue
    await client.end()
    throw new DatabaseError(
      'in_use',
      `Another Roost (process ${pid || 'unknown'}) uses this data directory: stop it first, or set another ROOST_DATA_DIR.`,
    )
  }
}

async function ownerName(client: pg.Client): Promise<string | undefined> {
  const { rows } = await client.query<{ application_name: string }>(
    `select a.application_name from pg_locks l join pg_stat_activity a using (pid)
      where l.locktype = 'advisory' and l.granted and l.classid = 0 and l.objid = $1`,
    [advisoryLocks.embeddedServer],
  )
  return rows[0]?.application_name
}
