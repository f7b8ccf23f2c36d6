import { resourceUri, RoostError } from '@roost/api-types/rest'
import type { ErrorCode } from '@roost/api-types/rest'

/** How each code is answered over HTTP. What only HTTP knows (405, 413 of a body, 415, 422) stays in `http/`. */
export const statusOf: Readonly<Record<ErrorCode, number>> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  stale: 412,
  too_large: 413,
  too_many: 429,
  unavailable: 503,
  internal: 500,
}

/** The record, or `not_found`. */
export function found<R>(record: R | undefined): R {
  if (record === undefined) throw new RoostError('not_found', 'There is no such record.')
  return record
}

/** A relation that is a URI of its resource, under which there is nothing. */
export function unknownRelation(resource: string, id: number): RoostError {
  const uri = resourceUri(resource, id)
  return new RoostError('invalid', `Could not find the provided ${resource} object via resource URI '${uri}'.`)
}

/** The message of the innermost cause: enough for a temporary failure, such as an unreachable database, that affects every request. */
export function innermost(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause === undefined ? error.message.trim().replace(prismaPreamble, '') : innermost(error.cause)
}

const prismaPreamble = /^Invalid `prisma[^`]*` invocation:\s*/

/** Whether the failure is temporary. */
export function isPassing(error: unknown): boolean {
  return error instanceof RoostError && error.code === 'unavailable'
}

/** Log fields for an error: only its reason where it is temporary, else everything. */
export function logged(error: unknown): { readonly reason: string } | { readonly err: unknown } {
  return isPassing(error) ? { reason: innermost(error) } : { err: error }
}
