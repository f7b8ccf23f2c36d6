/** SQLSTATE classes and codes with which the server itself is in trouble, whatever the query. */
const sqlStates = /^(08...|53[123]00|57P0[1-5])$/
/** Prisma's: not reachable, timed out, closed, no connection free, no transaction begun, too many connections. */
const prismaCodes = new Set(['P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2028', 'P2037'])
const socketCodes = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH'])
/** What the driver adapter calls the same; raw queries have no code of Prisma's. */
const adapterKinds = new Set(['DatabaseNotReachable', 'ConnectionClosed', 'SocketTimeout', 'TooManyConnections'])
const driverMessages =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection)/

interface Traits {
  readonly code?: unknown
  readonly kind?: unknown
  readonly message?: unknown
  readonly cause?: unknown
  readonly meta?: { readonly driverAdapterError?: unknown }
}

/** True when a query failed because the database is away, not because of what was asked: trying again later may help. */
export function isUnavailable(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false
  const { code, kind, message, cause, meta } = error as Traits
  if ([code, kind].some((text) => typeof text === 'string' && isTrouble(text))) return true
  if (typeof message === 'string' && driverMessages.test(message)) return true
  return isUnavailable(cause) || isUnavailable(meta?.driverAdapterError)
}

function isTrouble(text: string): boolean {
  return sqlStates.test(text) || prismaCodes.has(text) || socketCodes.has(text) || adapterKinds.has(text)
}
