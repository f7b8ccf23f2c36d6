import { readOnlyOperator, recordNotFound } from '@roost/api-types/rest'

/** Messages of refused requests that are sent from several files, or that the OpenAPI document shows. */
export const messages = {
  credentialsRequired: "Valid credentials are required: send the header 'Authorization: apikey <user>:<key>'.",
  readOnlyOperator,
  foreignPage: "A session is only accepted from the pages of this server. Use an API key in 'Authorization' instead.",
  recordNotFound,
  pathNotFound: 'Not found.',
  cannotRemove: "'deleted_objects' is not supported: this request cannot remove records.",
  keyInUse: 'A request with this Idempotency-Key is running. Repeat the request later to get the answer.',
  keyReused: 'This Idempotency-Key was already used with a different body. Use a new key.',
  stale: 'The record has changed since it was read. Read it again and repeat the change.',
  etagInElements: "If-Match has no meaning for several records. Send 'etag' in each element of 'objects' instead.",
  bodyTooLarge: 'The request body is larger than 1 MiB.',
  malformedJson: 'Request is not valid JSON.',
  notJson: 'The request body must be application/json.',
  databaseUnavailable: 'The database does not answer. Try again in a moment.',
  databaseDiskFull: 'The disk of the database is full: nothing can be changed until there is free space.',
} as const

export function tooManyRequests(message: string, retryAfterSeconds: number): string {
  return `${message} Try again in ${retryAfterSeconds} s.`
}

export function internalError(requestId: string): string {
  return `Internal error. Search the log of the control plane for ${requestId}.`
}
