import { z } from 'zod'

/** The errors of services. Each transport maps them by one table of its own. */
export const errorCodes = [
  'invalid',
  'unauthenticated',
  'forbidden',
  'not_found',
  'conflict',
  'stale',
  'too_large',
  'too_many',
  'unavailable',
  'internal',
] as const
export type ErrorCode = (typeof errorCodes)[number]

/** Sentences by field name, all faulty fields at once. */
export type FieldErrors = Readonly<Record<string, readonly string[]>>

/** An error that is shown to the caller unchanged. Every other error is only logged. */
export class RoostError extends Error {
  override readonly name = 'RoostError'
  readonly code: ErrorCode
  /** The faulty fields of one resource; REST answers `{"<resource>": {"<field>": [...]}}`. */
  readonly fields: FieldErrors | undefined
  /** Seconds to wait before the next attempt; for `too_many` and `unavailable`. */
  readonly retryAfterSeconds: number | undefined

  constructor(
    code: ErrorCode,
    message: string,
    more: { readonly fields?: FieldErrors; readonly retryAfterSeconds?: number; readonly cause?: unknown } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause })
    this.code = code
    this.fields = more.fields
    this.retryAfterSeconds = more.retryAfterSeconds
  }
}

/** Returns the error of faulty fields. Its message is for transports that know no fields. */
export function fieldError(fields: FieldErrors): RoostError {
  const message = Object.entries(fields)
    .map(([field, sentences]) => `${field}: ${sentences.join(' ')}`)
    .join(' ')
  return new RoostError('invalid', message, { fields })
}

export const recordNotFound = 'There is no such record.'
export const readOnlyOperator = 'This operator has the role read_only. Changes need the role admin.'

/** The body of a request error. */
export const ErrorBody = z.object({ error: z.string() }).meta({ id: 'Error', examples: [{ error: recordNotFound }] })
export type ErrorBody = z.infer<typeof ErrorBody>

/** The body of field errors: resource, field, sentences. */
export const FieldErrorBody = z
  .record(z.string(), z.record(z.string(), z.array(z.string())))
  .meta({ id: 'FieldErrors', examples: [{ nodes: { enabled: ['Enter true or false.'] } }] })
export type FieldErrorBody = z.infer<typeof FieldErrorBody>
