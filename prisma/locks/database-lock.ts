import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { describeServer } from '../client/client.js'
import type { Connection } from '../client/client.js'
import { connectError } from '../client/connect-error.js'
import { DatabaseError } from '../client/errors.js'
import { advisoryLocks } from './advisory-locks.js'
import { isPooledByTransaction } from './pooler.js'

export interface DatabaseLockOptions {
  /** How long another process may keep the lock, in milliseconds: a host that failed over meets its own dead session. */
  readonly waitMs: number
  readonly log: (message: string) => void
  /** Ends the wait for the lock. */
  readonly signal: AbortSignal
}

/** A database that no other control plane uses. */
export interface DatabaseLock {
  /** Resolves once another control plane got the lock while our connection was broken; otherwise never. */
  readonly lost: Promise<DatabaseError>
  release(): Promise<void>
}

interface LockSession {
  readonly client: pg.Client
  readonly ended: Promise<void>
}

const retryMs = 250
const reconnectMs = 1_000
const queryTimeoutMs = 10_000
const namePattern = /^roost lock (\d+) (.+)$/

/** The server ends the session of a host that vanished after 5 s + 3 × 5 s, and does not end an idle one. */
const sessionSettings = {
  tcp_keepalives_idle: '5',
  tcp_keepalives_interval: '5',
  tcp_keepalives_count: '3',
  idle_session_timeout: '0',
}

/**
 * Locks the database until `release`, and locks it again after its connection broke. Throws DatabaseError if another
 * control plane keeps the lock, with its name, or if a pooler makes locks of sessions useless.
 */
export async function lockDatabase(connection: Connection, options: DatabaseLockOptions): Promise<DatabaseLock> {
  await requireSessions(connection)
  const closing = new AbortController()
  let session = await openSession(connection, 'lock')
  await acquire(session, connection, options)
  const keepLocked = async (): Promise<DatabaseError> => {
    for (;;) {
      await session.ended
      if (closing.signal.aborted) return new Promise(() => {})
      options.log('lost the connection that locks the database, locking it again')
      const next = await lockAgain(connection, { ...options, signal: closing.signal })
      if (next instanceof DatabaseError) return next
      session = next
    }
  }
  return {
    lost: keepLocked(),
    async release() {
      closing.abort()
      await session.client.end().catch(() => {})
    },
  }
}

async function requireSessions(connection: Connection): Promise<void> {
  const sessions = [await openSession(connection, 'check'), await openSession(connection, 'check')] as const
  try {
    if (await isPooledByTransaction(sessions[0].client, sessions[1].client))
      throw new DatabaseError(
        'unusable',
        `The database at ${describeServer(connection)} is behind a pooler in transaction mode, which loses locks and notifications. Set DATABASE_URL to PostgreSQL itself, or to a pool in session mode.`,
      )
  } finally {
    await Promise.all(sessions.map(({ client }) => client.end().catch(() => {})))
  }
}

async function openSession(connection: Connection, purpose: 'check' | 'lock'): Promise<LockSession> {
  const client = new pg.Client({
    ...connection,
    application_name: `roost ${purpose} ${process.pid} ${hostname()}`,
    connectionTimeoutMillis: 10_000,
    query_timeout: queryTimeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
  })
  client.on('error', () => {}) // `end` reports it, too
  const ended = new Promise<void>((resolve) => client.once('end', () => resolve()))
  await client.connect().catch((error: unknown) => {
    throw connectError(connection, error)
  })
  return { client, ended }
}

/** Returns the session that has the lock, or the error if another control plane got it. Tries while the server is away. */
async function lockAgain(connection: Connection, options: DatabaseLockOptions): Promise<LockSession | DatabaseError> {
  for (;;) {
    try {
      const session = await openSession(connection, 'lock')
      await acquire(session, connection, options)
      return session
    } catch (error) {
      if (options.signal.aborted) return new Promise(() => {})
      if (error instanceof DatabaseError && error.code === 'in_use') return error
      await sleep(reconnectMs, undefined, { signal: options.signal }).catch(() => {})
    }
  }
}

/** Waits for the lock, or ends the session and throws. */
async function acquire(
  { client }: LockSession,
  connection: Connection,
  { waitMs, log, signal }: DatabaseLockOptions,
): Promise<void> {
  try {
    await client.query(
      `select set_config(name, value, false)
         from pg_settings join json_each_text($1) as ours(name, value) using (name)`,
      [JSON.stringify(sessionSettings)],
    )
    const deadline = performance.now() + waitMs
    for (let isWaiting = false; !(await tryLock(client)); isWaiting = true) {
      const holder = await describeHolder(client)
      if (signal.aborted || performance.now() >= deadline)
        throw new DatabaseError(
          'in_use',
          `Another Roost (${holder}) uses the database at ${describeServer(connection)}. Stop it first, or set DATABASE_URL to another database.`,
        )
      if (!isWaiting)
        log(`another Roost (${holder}) uses the database, waiting up to ${waitMs / 1000} s for it to stop`)
      await sleep(retryMs, undefined, { signal }).catch(() => {})
    }
  } catch (error) {
    await client.end().catch(() => {})
    throw error
  }
}

async function tryLock(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ mine: boolean }>('select pg_try_advisory_lock($1) as mine', [
    advisoryLocks.controlPlane,
  ])
  return rows[0]?.mine === true
}

async function describeHolder(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ name: string | null; address: string | null }>(
    `select a.application_name as name, host(a.client_addr) as address
       from pg_locks l join pg_stat_activity a using (pid) join pg_database d on d.oid = l.database
      where l.locktype = 'advisory' and l.granted and l.classid = 0 and l.objid = $1 and l.objsubid = 1
        and d.datname = current_database()`,
    [advisoryLocks.controlPlane],
  )
  const [holder] = rows
  const [, pid, host] = namePattern.exec(holder?.name ?? '') ?? []
  const who = pid === undefined ? 'an unknown process' : `process ${pid} on ${host}`
  return holder?.address ? `${who}, address ${holder.address}` : who
}
