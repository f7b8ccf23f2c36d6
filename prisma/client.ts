import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import { PrismaClient } from './generated/client.js'

/** Where a database is: a URL, or a socket directory with user and name. */
export type Connection =
  | { readonly connectionString: string }
  | { readonly host: string; readonly user: string; readonly database: string }

export interface Database {
  readonly prisma: PrismaClient
  /** The connections below Prisma, for their figures and for `listen`. */
  readonly pool: pg.Pool
  close(): Promise<void>
}

/** One connection of the pool, for statements that belong together. */
export type Session = pg.PoolClient

export interface DatabaseOptions {
  /** Connections at most. */
  readonly connections?: number
  /** How long a request waits for a connection before it fails. */
  readonly connectTimeoutMs?: number
}

/** Opens nothing yet: each connection is made when it is first needed, and again after it broke. */
export function openDatabase(connection: Connection, options: DatabaseOptions = {}): Database {
  const pool = new pg.Pool({
    ...connection,
    application_name: 'roost',
    max: options.connections ?? 10,
    connectionTimeoutMillis: options.connectTimeoutMs ?? 5_000,
  })
  pool.on('error', () => {}) // an idle connection broke: the pool makes another
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool) })
  return {
    prisma,
    pool,
    async close() {
      await prisma.$disconnect()
      await pool.end()
    },
  }
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
