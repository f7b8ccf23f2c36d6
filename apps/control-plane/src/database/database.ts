import { existsSync } from 'node:fs'
import { RoostError } from '@roost/api-types/rest'
import {
  clusterDir,
  DatabaseError,
  DiskState,
  embeddedConnection,
  inspectMigrations,
  isUnavailable,
  lockDatabase,
  migrate,
  openDatabase,
  openEmbedded,
} from '@roost/database'
import type { Connection, Database, DatabaseLock, DatabaseOptions, MigrationState } from '@roost/database'
import type { Config } from '../config.js'
import type { Log } from '../lifecycle/log.js'
import { messages } from '../services/messages.js'
import { HistoryDiffersError, StartError } from '../lifecycle/start-error.js'

export { isConflict, isRefused } from '@roost/database'
export type { Connection, Database, DatabaseLock, DatabaseOptions, MigrationState, Session } from '@roost/database'

export interface DatabaseServer {
  readonly connection: Connection
  /** Knows also of a server that does not start for want of space. */
  readonly disk: DiskState
  /** Ends the embedded server; another's is left alone. */
  stop(): Promise<void>
}

/** The database of the configuration, running and at this release's schema. Throws StartError. */
export async function startDatabase(config: Config, log: Log): Promise<DatabaseServer> {
  const server = await openServer(config, log)
  try {
    await migrateDatabase(server.connection, log)
    return server
  } catch (error) {
    await server.stop()
    throw error
  }
}

/** Brings the database to the schema of this release. Throws StartError. */
export async function migrateDatabase(connection: Connection, log: Log): Promise<void> {
  const applied = await orStartError(migrate(connection, (message) => log.info(message)))
  if (applied.length > 0)
    log.info({ migrations: applied.length }, 'migrated the database to the schema of this release')
}

export interface LockNeeds {
  readonly log: Log
  /** Ends the wait for the lock. */
  readonly stopping: AbortSignal
  /** Called with the process and machine of each control plane that is kept off from then on. */
  readonly refused: (who: string) => void
}

/** Keeps other control planes off the database. Throws StartError with the name of the one that uses it. */
export async function keepDatabase(
  connection: Connection,
  { lockWaitMs: waitMs }: Pick<Config, 'lockWaitMs'>,
  { log, stopping: signal, refused }: LockNeeds,
): Promise<DatabaseLock> {
  const warn = (message: string) => log.warn(message)
  return orStartError(lockDatabase(connection, { waitMs, signal, refused, log: warn }))
}

/** Returns true if the embedded server is used and has no files of a database yet. */
export function needsFirstStart({ databaseUrl, dataDir }: Config): boolean {
  return databaseUrl === null && !existsSync(clusterDir(dataDir))
}

/** The database of the configuration, running, with whatever schema it has. Throws StartError. */
export async function openServer({ databaseUrl, dataDir }: Config, log: Log): Promise<DatabaseServer> {
  const disk = new DiskState()
  if (databaseUrl !== null) return { connection: { connectionString: databaseUrl }, disk, stop: async () => {} }
  const embedded = await orStartError(openEmbedded(dataDir, { disk, log: (message) => log.info(message) }))
  return { connection: embedded.connection, disk, stop: () => embedded.stop() }
}

/** The database of a control plane that runs, which stays its own. */
export function runningConnection({ databaseUrl, dataDir }: Config): Connection {
  return databaseUrl === null ? embeddedConnection(dataDir) : { connectionString: databaseUrl }
}

/** Compares the schema of a database of one's own with this release; null for the embedded one, which only Roost starts. */
export async function inspectDatabase({ databaseUrl }: Config): Promise<MigrationState | null> {
  return databaseUrl === null ? null : inspectMigrations({ connectionString: databaseUrl })
}

/** Errors of the database package carry a sentence for the operator. */
export async function orStartError<T>(running: Promise<T>): Promise<T> {
  return running.catch((error: unknown) => {
    if (!(error instanceof DatabaseError)) throw error
    const Reason = error.code === 'history_differs' ? HistoryDiffersError : StartError
    throw new Reason(error.message, { cause: error })
  })
}

/** Longer than any statement of ours takes; a transaction may last a minute. */
const longestSilenceMs = 120_000

/** The database as the stores see it: while it is away, a query throws the RoostError `unavailable`. */
export function connectDatabase(connection: Connection, options: DatabaseOptions = {}): Database {
  const { prisma, ...rest } = openDatabase(connection, { silenceMs: longestSilenceMs, ...options })
  const translating = prisma.$extends({
    query: {
      async $allOperations({ args, query }) {
        return orUnavailable(query(args), rest.disk)
      },
    },
  }) as unknown as Database['prisma']
  return { ...rest, prisma: translateTransactions(translating, rest.disk) }
}

/** Beginning and committing a transaction are not queries for Prisma's extension, and can fail as well. */
function translateTransactions(prisma: Database['prisma'], disk: DiskState): Database['prisma'] {
  return new Proxy(prisma, {
    get(target, key) {
      const value = Reflect.get(target, key, target) as unknown
      if (key !== '$transaction') return value
      return (...args: unknown[]) => orUnavailable(Reflect.apply(value as Transact, target, args), disk)
    },
  })
}
type Transact = (...args: unknown[]) => Promise<unknown>

/** Rows straight from the pool, for hot paths: a fifth of what the same costs by Prisma. */
export async function queryRows<Row extends object>(
  { pool, disk }: Pick<Database, 'pool' | 'disk'>,
  text: string,
  values: readonly unknown[] = [],
): Promise<readonly Row[]> {
  const { rows } = await orUnavailable(pool.query<Row>(text, [...values]), disk)
  return rows
}

/** Returns the version of the server, such as `18.4`. */
export async function serverVersion(database: Pick<Database, 'pool' | 'disk'>): Promise<string> {
  const [row] = await queryRows<{ server_version: string }>(database, 'show server_version')
  return row?.server_version.split(' ', 1)[0] ?? ''
}

/** While the disk of the database is known to be full, tries whether it still is. Throws the RoostError `unavailable`. */
export async function refreshDisk({ prisma, disk }: Pick<Database, 'prisma' | 'disk'>): Promise<void> {
  await disk.refresh(() =>
    prisma.$transaction(
      (tx) =>
        tx.$executeRaw`create temporary table disk_check on commit drop as select repeat('x', 100) from generate_series(1, 10000)`,
    ),
  )
}

async function orUnavailable<T>(running: Promise<T>, disk: DiskState): Promise<T> {
  try {
    return await running
  } catch (error) {
    if (!isUnavailable(error)) throw error
    const message = disk.add(error) || disk.isFull ? messages.databaseDiskFull : messages.databaseUnavailable
    throw new RoostError('unavailable', message, {
      retryAfterSeconds: 5,
      cause: error,
    })
  }
}
