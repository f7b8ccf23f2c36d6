import { Worker } from 'node:worker_threads'
import pg from 'pg'
import { describeServer } from '../client/client.js'
import type { Connection } from '../client/client.js'
import { connectError } from '../client/connect-error.js'
import { DatabaseError } from '../client/errors.js'
import { advisoryLocks } from '../locks/advisory-locks.js'
import { migrationsDir } from './migration-files.js'
import type { MigrationNews, MigrationOrder } from './migration-worker.js'

const lockTimeout = '120s'

/**
 * Brings the database to this program's schema by one transaction, and returns the names of what was applied. Of several processes
 * that start together one migrates and the others wait. Throws DatabaseError with a sentence that says what to do.
 */
export async function migrate(
  connection: Connection,
  log: (message: string) => void,
  directory: string = migrationsDir,
): Promise<readonly string[]> {
  const lock = new pg.Client({ ...connection, application_name: 'roost migrations', connectionTimeoutMillis: 10_000 })
  lock.on('error', () => {}) // the query in progress tells it
  await lock.connect().catch((error: unknown) => {
    throw connectError(connection, error)
  })
  try {
    await lock.query(`set lock_timeout = '${lockTimeout}'`)
    await lock.query('select pg_advisory_lock($1)', [advisoryLocks.migration])
    return await applyInThread({ connection, directory }, log)
  } catch (error) {
    throw error instanceof DatabaseError ? error : migrationError(describeServer(connection), error)
  } finally {
    await lock.end().catch(() => {})
  }
}

function migrationError(server: string, error: unknown): DatabaseError {
  // The engine adds where in its own source it failed.
  const [reason = ''] = (error instanceof Error ? error.message : String(error)).split(/\n\s*0: /)
  const sentence = reason.includes('schema is not empty')
    ? `The database at ${server} contains tables of another program. Create a separate database for Roost, and set DATABASE_URL to it.`
    : `The database at ${server} could not be migrated to the schema of this release: ${reason.replaceAll(/\s+/g, ' ')}`
  return new DatabaseError('migration', sentence, error)
}

/** In a thread that ends: the engine takes 25 MB, is needed for a moment, and cannot be unloaded otherwise. */
async function applyInThread(order: MigrationOrder, log: (message: string) => void): Promise<readonly string[]> {
  const worker = new Worker(new URL('migration-worker.js', import.meta.url), { workerData: order })
  try {
    return await new Promise((resolve, reject) => {
      worker.on('message', (news: MigrationNews) => {
        if ('said' in news) log(news.said)
        else if ('applied' in news) resolve(news.applied)
        else reject(news.code === undefined ? new Error(news.failed) : new DatabaseError(news.code, news.failed))
      })
      worker.once('error', reject)
      worker.once('exit', () => reject(new Error('The migrations ended without a result.')))
    })
  } finally {
    await worker.terminate()
  }
}
