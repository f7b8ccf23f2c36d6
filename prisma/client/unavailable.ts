import { someCause } from './causes.js'

/** SQLSTATE classes and codes of failures of the server itself, for any query. */
const sqlStates = /^(08...|53[123]00|57P0[1-5])$/
/** Codes of Prisma: not reachable, timed out, closed, no connection free, no transaction begun, too many connections. */
const prismaCodes = new Set(['P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2028', 'P2037'])
const socketCodes = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH'])
/** The same failures as the driver adapter names them; raw queries have no code of Prisma. */
const adapterKinds = new Set(['DatabaseNotReachable', 'ConnectionClosed', 'SocketTimeout', 'TooManyConnections'])
const driverMessages =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection)/

/** True when a query failed because the database is unavailable, so that a later attempt may succeed. */
export function isUnavailable(error: unknown): boolean {
  return someCause(
    error,
    ({ code, kind, message }) =>
      [code, kind].some((text) => typeof text === 'string' && isTrouble(text)) ||
      (typeof message === 'string' && driverMessages.test(message)),
  )
}

function isTrouble(text: string): boolean {
  return sqlStates.test(text) || prismaCodes.has(text) || socketCodes.has(text) || adapterKinds.has(text)
}
