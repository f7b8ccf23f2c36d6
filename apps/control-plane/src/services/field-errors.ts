import { fieldError, fieldsOf, sentence } from '@roost/api-types/rest'
import type { FieldErrors } from '@roost/api-types/rest'
import type { z } from 'zod'

export { fieldError }

/** Parses against a schema; throws all faulty fields at once, together with those in `found`. */
export function parseFields<T>(schema: z.ZodType<T>, input: unknown, found: FieldErrors = {}): T {
  const result = schema.safeParse(input, { error: sentence })
  const fields = { ...found, ...(result.success ? {} : fieldsOf(result.error.issues)) }
  if (!result.success || Object.keys(fields).length > 0) throw fieldError(fields)
  return result.data
}
