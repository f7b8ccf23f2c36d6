import { ErrorBody, FieldErrorBody } from '@roost/api-types/rest'
import type { ErrorCode } from '@roost/api-types/rest'
import { z } from 'zod'
import { internalError, messages, tooManyRequests } from '../../services/messages.js'

/** One status that the API answers, as the OpenAPI document describes it. */
export interface StatusRow {
  readonly description: string
  /** The error of services that it answers. Without one, only HTTP knows it. */
  readonly code?: ErrorCode
  /** An error message that comes with it. */
  readonly example?: string
  readonly headers?: Readonly<Record<string, { readonly description: string; readonly schema: object }>>
}

const retryAfter = {
  'Retry-After': { description: 'Seconds to wait before the next attempt', schema: { type: 'integer' } },
}
const location = { Location: { description: 'The absolute URL of the record', schema: { type: 'string' } } }
export const etagHeader = {
  ETag: { description: 'The version of the record, for If-Match', schema: { type: 'string' } },
}
const challenge = { 'WWW-Authenticate': { description: 'ApiKey', schema: { type: 'string' } } }

/** Every status of the API. */
export const statuses = {
  200: { description: 'The answer' },
  201: { description: 'The created record', headers: location },
  202: { description: 'The record after the change' },
  204: { description: 'The record is removed; there is no body' },
  304: { description: 'The record still has the ETag of If-None-Match; there is no body' },
  400: {
    code: 'invalid',
    description: 'The request is not valid: one message, or messages by field',
    example: "Invalid limit 'x' provided. Please provide a positive integer.",
  },
  401: {
    code: 'unauthenticated',
    description: 'No valid credentials',
    example: messages.credentialsRequired,
    headers: challenge,
  },
  403: {
    code: 'forbidden',
    description: 'The operator may only read, or a page of another origin uses a session',
    example: messages.readOnlyOperator,
  },
  404: { code: 'not_found', description: 'The record does not exist', example: messages.recordNotFound },
  405: { description: 'This method is not allowed here', example: messages.cannotRemove },
  409: {
    code: 'conflict',
    description: 'The request conflicts with an existing record or a running operation',
    example: messages.keyInUse,
  },
  412: {
    code: 'stale',
    description: 'The record has changed: it does not have the ETag of If-Match any more',
    example: messages.stale,
  },
  413: { code: 'too_large', description: 'The body is larger than 1 MiB', example: messages.bodyTooLarge },
  414: { description: 'The path is too long', example: 'set/ accepts ids of up to 4096 characters together.' },
  415: { description: 'The body is not application/json', example: messages.notJson },
  422: { description: 'The Idempotency-Key was already used with a different body', example: messages.keyReused },
  429: {
    code: 'too_many',
    description: 'Too many requests; see Retry-After',
    example: tooManyRequests('Too many requests with this key.', 1),
    headers: retryAfter,
  },
  500: {
    code: 'internal',
    description: 'Internal error; the log has details under the X-Request-Id of the answer',
    example: internalError('5f0c7a1e-6f3b-4c0f-9f0a-2f1d3b9c7e11'),
  },
  503: {
    code: 'unavailable',
    description: 'A part of the system is unavailable; see Retry-After',
    example: messages.databaseUnavailable,
    headers: retryAfter,
  },
} as const satisfies Readonly<Record<number, StatusRow>>
export type Status = keyof typeof statuses

/** Returns the row of a status; undefined for one that is not of the API. */
export function statusRow(status: number | string): StatusRow | undefined {
  return Object.hasOwn(statuses, status) ? statuses[Number(status) as Status] : undefined
}

const byCode = new Map(
  Object.entries(statuses).flatMap(([status, row]) => ('code' in row ? [[row.code, Number(status)] as const] : [])),
)

/** Returns the status that answers an error of a service. */
export function statusOf(code: ErrorCode): number {
  return byCode.get(code) ?? 500
}

const FaultyRequest = z.union([ErrorBody, FieldErrorBody])

/** Returns the schemas of refusals, for a route's part of the OpenAPI document. */
export function describeRefusals(refused: readonly Status[]): Readonly<Record<string, z.ZodType>> {
  return Object.fromEntries(
    refused.map((status) => [
      status,
      (status === 400 ? FaultyRequest : ErrorBody).describe(statuses[status].description),
    ]),
  )
}
