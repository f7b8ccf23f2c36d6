import { someCause } from './causes.js'
import type { DatabaseErrorCode } from './errors.js'

/** SQLSTATE classes and codes of failures of the server itself, for any query. */
const sqlStates = /^(08...|53[123]00|57P0[1-5])$/
/** Codes of Prisma: not reachable, timed out, closed, no connection free, no transaction begun, too many connections. */
const prismaCodes = new Set(['P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2028', 'P2037'])
const socketCodes = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH'])
/** The same failures as the driver adapter names them; raw queries have no code of Prisma. */
const adapterKinds = new Set(['DatabaseNotReachable', 'ConnectionClosed', 'SocketTimeout', 'TooManyConnections'])
/** `ENOENT`: the socket of a server that has ended. Prisma writes its own line before that of the driver. */
const driverMessages =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection|connect ENOENT )/m

const unreachable: DatabaseErrorCode = 'unreachable'

/** True when a query failed because the database is unavailable, so that a later attempt may succeed. */
export function isUnavailable(error: unknown): boolean {
  return someCause(
    error,
    ({ code, kind, message }) =>
      code === unreachable ||
      [code, kind].some((text) => typeof text === 'string' && isTrouble(text)) ||
      (typeof message === 'string' && driverMessages.test(message)),
  )
}

function isTrouble(text: string): boolean {
  return sqlStates.test(text) || prismaCodes.has(text) || socketCodes.has(text) || adapterKinds.has(text)
}

/** SQLSTATE disk_full, as a code or in a sentence: Prisma's raw queries have it in their message alone. */
const diskFull = /^53100$|Code: `53100`/

/** Knows whether the disk of the database is full: a write or a start failed for it, and `refresh` has not succeeded since. */
export class DiskState {
  #isFull = false

  get isFull(): boolean {
    return this.#isFull
  }

  /** Remembers that the server itself has no space to run. */
  fill(): void {
    this.#isFull = true
  }

  /** Remembers an error for which the disk is the cause. Returns false for other errors. */
  add(error: unknown): boolean {
    if (!isDiskFull(error)) return false
    this.fill()
    return true
  }

  /** While the disk is full, tries `write`, which must need new space. Throws its error, unless the disk is still full. */
  async refresh(write: () => Promise<unknown>): Promise<void> {
    if (!this.#isFull) return
    try {
      await write()
      this.#isFull = false
    } catch (error) {
      if (!isDiskFull(error)) throw error
    }
  }
}

function isDiskFull(error: unknown): boolean {
  return someCause(error, ({ code, originalCode, message }) =>
    [code, originalCode, message].some((text) => typeof text === 'string' && diskFull.test(text)),
  )
}
