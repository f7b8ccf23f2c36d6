import pg from 'pg'
import { DatabaseError } from './errors.js'

type Callback = (error: Error | undefined, client: pg.PoolClient | undefined, done: (release?: unknown) => void) => void

/** A pool that gives no connection, not even one that it has, while the database is not ours. */
export class GuardedPool extends pg.Pool {
  readonly #isOurs: () => boolean

  constructor(isOurs: () => boolean, config: pg.PoolConfig) {
    super(config)
    this.#isOurs = isOurs
  }

  override connect(): Promise<pg.PoolClient>
  override connect(callback: Callback): void
  override connect(callback?: Callback): Promise<pg.PoolClient> | void {
    if (this.#isOurs()) return callback === undefined ? super.connect() : super.connect(callback)
    const error = new DatabaseError('unreachable', 'The connection that locks the database was lost.')
    if (callback === undefined) return Promise.reject(error)
    callback(error, undefined, () => {})
  }
}
