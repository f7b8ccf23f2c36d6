import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { describeServer } from '../client/client.js'
import type { Connection } from '../client/client.js'
import { DatabaseError } from '../client/errors.js'
import { advisoryLocks } from './advisory-locks.js'
import { LockSession, ownerOf } from './lock-session.js'
import { isPooledByTransaction } from './pooler.js'

export interface DatabaseLockOptions {
  /** How long another process may keep the lock, in milliseconds: a host that failed over meets its own dead session. */
  readonly waitMs: number
  readonly log: (message: string) => void
  /** Called with the process and machine of another control plane that waited for our lock in vain. */
  readonly refused: (who: string) => void
  /** Ends the wait for the lock. */
  readonly signal: AbortSignal
}

/** A database that no other control plane uses. */
export interface DatabaseLock {
  /** Resolves once another control plane got the lock while our connection was broken; otherwise never. */
  readonly lost: Promise<DatabaseError>
  /** Whether no other control plane can have the lock. False while our connection is broken, before another can get it. */
  readonly isLocked: () => boolean
  release(): Promise<void>
}

const retryMs = 250
const reconnectMs = 1_000

/**
 * Locks the database until `release`, and locks it again after its connection broke. Throws DatabaseError if another
 * control plane keeps the lock, with its name, or if a pooler makes locks of sessions useless.
 */
export async function lockDatabase(connection: Connection, options: DatabaseLockOptions): Promise<DatabaseLock> {
  await requireSessions(connection)
  const closing = new AbortController()
  let session = await LockSession.open(connection, 'lock')
  await acquire(session, connection, options)
  void session.watch(closing.signal)
  const keepLocked = async (): Promise<DatabaseError> => {
    for (;;) {
      await session.ended
      if (closing.signal.aborted) return new Promise(() => {})
      options.log('lost the connection that locks the database, locking it again')
      const next = await lockAgain(connection, { ...options, signal: closing.signal })
      if (next instanceof DatabaseError) return next
      session = next
      void session.watch(closing.signal)
    }
  }
  return {
    lost: keepLocked(),
    isLocked: () => session.isConfirmed(),
    async release() {
      closing.abort()
      await session.end()
    },
  }
}

async function requireSessions(connection: Connection): Promise<void> {
  const sessions = [await LockSession.open(connection, 'check'), await LockSession.open(connection, 'check')] as const
  try {
    if (await isPooledByTransaction(sessions[0].client, sessions[1].client))
      throw new DatabaseError(
        'unusable',
        `The database at ${describeServer(connection)} is behind a pooler in transaction mode, which loses locks and notifications. Set DATABASE_URL to PostgreSQL itself, or to a pool in session mode.`,
      )
  } finally {
    await Promise.all(sessions.map((session) => session.end()))
  }
}

/**
 * Returns the session that has the lock, or the error if another control plane got it. Tries while the server is away, and
 * while it still has our former session.
 */
async function lockAgain(connection: Connection, options: DatabaseLockOptions): Promise<LockSession | DatabaseError> {
  for (;;) {
    try {
      const session = await LockSession.open(connection, 'lock')
      await acquire(session, connection, { ...options, isAgain: true })
      return session
    } catch (error) {
      if (options.signal.aborted) return new Promise(() => {})
      if (error instanceof DatabaseError && error.code === 'in_use') return error
      await sleep(reconnectMs, undefined, { signal: options.signal }).catch(() => {})
    }
  }
}

/** Waits for the lock, or ends the session and throws. `isAgain`: only for the end of our former session, not for another's. */
async function acquire(
  session: LockSession,
  connection: Connection,
  { waitMs, log, refused, signal, isAgain = false }: DatabaseLockOptions & { readonly isAgain?: boolean },
): Promise<void> {
  const { client } = session
  try {
    await session.applySettings()
    const deadline = performance.now() + waitMs
    for (let isWaiting = false; !(await tryLock(client)); isWaiting = true) {
      const holder = await findHolder(client)
      const isOver = isAgain ? holder.isAnother : performance.now() >= deadline
      if (isOver && !isAgain) await session.reportRefused()
      if (signal.aborted || isOver)
        throw new DatabaseError(
          'in_use',
          `Another Roost (${holder.text}) uses the database at ${describeServer(connection)}. Stop it first, or set DATABASE_URL to another database.`,
        )
      if (!isWaiting)
        log(`another Roost (${holder.text}) uses the database, waiting up to ${waitMs / 1000} s for it to stop`)
      await sleep(retryMs, undefined, { signal }).catch(() => {})
    }
    await session.watchRefused(refused)
  } catch (error) {
    await session.end()
    throw error
  }
}

async function tryLock(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ mine: boolean }>('select pg_try_advisory_lock($1) as mine', [
    advisoryLocks.controlPlane,
  ])
  return rows[0]?.mine === true
}

/** Who has the lock. `isAnother` is false for a former session of this process. */
async function findHolder(client: pg.Client): Promise<{ readonly text: string; readonly isAnother: boolean }> {
  const { rows } = await client.query<{ name: string | null; address: string | null }>(
    `select a.application_name as name, host(a.client_addr) as address
       from pg_locks l join pg_stat_activity a using (pid) join pg_database d on d.oid = l.database
      where l.locktype = 'advisory' and l.granted and l.classid = 0 and l.objid = $1 and l.objsubid = 1
        and d.datname = current_database()`,
    [advisoryLocks.controlPlane],
  )
  const [holder] = rows
  const owner = ownerOf(holder?.name ?? null)
  const who = owner?.text ?? 'an unknown process'
  return {
    text: holder?.address ? `${who}, address ${holder.address}` : who,
    isAnother: holder !== undefined && owner?.isThisProcess !== true,
  }
}
