import { z } from 'zod'
import type { FieldErrors } from './errors.js'

/** Returns the sentences about an input by field, as every transport and form shows them; none for one that is valid. */
export function faultsOf(schema: z.ZodType, input: unknown): FieldErrors {
  const result = schema.safeParse(input, { error: sentence })
  return result.success ? {} : fieldsOf(result.error.issues)
}

/** Returns sentences by the field of the record; those of nested values begin with the path below it. */
export function fieldsOf(issues: readonly z.core.$ZodIssue[]): Record<string, string[]> {
  const fields: Record<string, string[]> = {}
  for (const { path, message } of issues) {
    const [field = '__all__', ...deeper] = path.map(String)
    const located = deeper.length === 0 ? message : `${deeper.join('.')}: ${message}`
    ;(fields[field] ??= []).push(located)
  }
  return fields
}

type Issue = z.core.$ZodRawIssue

const typeNames: Readonly<Record<string, string>> = {
  string: 'Enter a string.',
  number: 'Enter a number.',
  int: 'Enter a whole number.',
  boolean: 'Enter true or false.',
  array: 'Enter a list.',
  object: 'Enter an object.',
}

/** Returns the sentence for a fault of a field; a sentence of the schema itself goes before it. */
export function sentence(issue: Issue): string | undefined {
  if (issue.code === 'invalid_type') {
    if (issue.input === undefined) return 'This field is required.'
    if (issue.input === null) return 'This field may not be null.'
    return typeNames[String(issue.expected)]
  }
  if (issue.code === 'invalid_value') return `Use one of: ${issue.values.map(String).join(', ')}.`
  if (issue.code === 'too_small') return bound('at least', 'greater than or equal to', issue.origin, issue.minimum)
  if (issue.code === 'too_big') return bound('at most', 'less than or equal to', issue.origin, issue.maximum)
  return undefined
}

function bound(length: string, size: string, origin: string, value: number | bigint): string {
  if (origin === 'string') return `Ensure this value has ${length} ${value} characters.`
  if (origin === 'array') return `Ensure this list has ${length} ${value} elements.`
  return `Ensure this value is ${size} ${value}.`
}
