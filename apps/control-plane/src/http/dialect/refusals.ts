import { ErrorBody, FieldErrorBody } from '@roost/api-types/rest'
import { z } from 'zod'

const meanings: Readonly<Record<number, string>> = {
  400: 'The request is faulty: a sentence, or sentences by field',
  401: 'No valid credentials',
  403: 'The operator may only read',
  404: 'There is no such record',
  405: 'What is asked for cannot be done here',
  409: 'Conflicts with what exists or runs',
  412: 'The record was changed since the ETag of If-Match',
  413: 'The body is larger than 1 MiB',
  415: 'The body is not application/json',
  422: 'The Idempotency-Key came before with another body',
  429: 'Too many requests; Retry-After says when to try again',
  500: 'Internal error; the log has more under the X-Request-Id',
  503: 'A part that is needed is away; Retry-After says when to try again',
}

const FaultyRequest = z.union([ErrorBody, FieldErrorBody])

/** The answers of a route that refuses, for its part of the OpenAPI document. */
export function describeRefusals(statuses: readonly number[]): Readonly<Record<string, z.ZodType>> {
  return Object.fromEntries(
    statuses.map((status) => [status, (status === 400 ? FaultyRequest : ErrorBody).describe(meanings[status] ?? '')]),
  )
}
