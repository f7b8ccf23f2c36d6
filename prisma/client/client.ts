import { Socket } from 'node:net'
import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import { PrismaClient } from '../generated/client.js'
import { GuardedPool } from './guarded-pool.js'
import { DiskState } from './unavailable.js'

/** Where a database is: a URL, or a socket directory with user and name. */
export type Connection =
  | { readonly connectionString: string }
  | { readonly host: string; readonly user: string; readonly database: string }

/** A connection pool, with Prisma on top of it. */
export interface Database {
  readonly prisma: PrismaClient
  /** The connections below Prisma, for their metrics and for `listen`. */
  readonly pool: pg.Pool
  /** Whether the server has space. */
  readonly disk: DiskState
  close(): Promise<void>
}

/** One connection of the pool, for statements that belong together. */
export type Session = pg.PoolClient

/** Of PostgreSQL's connections, of which the embedded server has 60. */
const maxConnections = 10
/** How long a query waits for a connection before it fails. */
const connectTimeoutMs = 5_000

/** How long a transaction may wait to begin, and then last: many writers take turns at the locks of inserts. */
const transactionOptions = { maxWait: 5_000, timeout: 15_000 }

export interface DatabaseOptions {
  /** How long a server may say nothing while a query runs; no limit by default. */
  readonly silenceMs?: number
  /** What the one who runs the server knows of its disk. */
  readonly disk?: DiskState
  /** False while another process may use the database: no query is sent then. Always true by default. */
  readonly isOurs?: () => boolean
}

/** Opens nothing yet: each connection is made when it is first needed, and again after it broke. */
export function openDatabase(connection: Connection, options: DatabaseOptions = {}): Database {
  const { silenceMs, disk = new DiskState(), isOurs = () => true } = options
  const pool = new GuardedPool(isOurs, {
    ...connection,
    ...(silenceMs !== undefined && { stream: () => socketOfTalkers(silenceMs) }),
    application_name: 'roost',
    max: maxConnections,
    connectionTimeoutMillis: connectTimeoutMs,
  })
  pool.on('error', () => {}) // an idle connection broke: the pool makes another
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool), transactionOptions })
  return {
    prisma,
    pool,
    disk,
    async close() {
      await prisma.$disconnect()
      await pool.end()
    },
  }
}

/** One that breaks in a silence: of a machine that has vanished, TCP itself tells after a quarter of an hour. */
function socketOfTalkers(silenceMs: number): Socket {
  const socket = new Socket()
  const error = Object.assign(new Error(`The database did not answer within ${silenceMs} ms.`), { code: 'ETIMEDOUT' })
  return socket.setTimeout(silenceMs, () => socket.destroy(error))
}

/** Host and name of a database, without user and password. */
export function describeServer(connection: Connection): string {
  if (!('connectionString' in connection)) return `${connection.host} (${connection.database})`
  try {
    const { host, pathname } = new URL(connection.connectionString)
    return `${host || 'localhost'}${pathname}`
  } catch {
    return 'DATABASE_URL'
  }
}
