import { resourceUri, RoostError } from '@roost/api-types/rest'
import { messages } from './messages.js'

/** Returns the record; throws `not_found` where there is none. */
export function found<R>(record: R | undefined): R {
  if (record === undefined) throw new RoostError('not_found', messages.recordNotFound)
  return record
}

/** Returns the error for a relation to a record that does not exist. */
export function unknownRelation(resource: string, id: number): RoostError {
  const uri = resourceUri(resource, id)
  return new RoostError('invalid', `Could not find the provided ${resource} object via resource URI '${uri}'.`)
}

/** Returns the message of the innermost cause. It is enough for a temporary failure, such as an unreachable database. */
export function innermost(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause === undefined ? error.message.trim().replace(prismaPreamble, '') : innermost(error.cause)
}

const prismaPreamble = /^Invalid `prisma[^`]*` invocation:\s*/

/** Returns true if the failure is temporary. */
export function isTemporary(error: unknown): boolean {
  return error instanceof RoostError && error.code === 'unavailable'
}

/** Returns the log fields for an error: only its reason if it is temporary, otherwise the error. */
export function logged(error: unknown): { readonly reason: string } | { readonly err: unknown } {
  return isTemporary(error) ? { reason: innermost(error) } : { err: error }
}

interface FailureLog {
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

/** Logs a failure: as a warning if it is temporary, otherwise as an error. */
export function logFailure(log: FailureLog, error: unknown, message: string, fields: object = {}): void {
  log[isTemporary(error) ? 'warn' : 'error']({ ...logged(error), ...fields }, message)
}
