import { maxSearchLength, RoostError } from '@roost/api-types/rest'
import type { FilterKind, ResourceRules } from '@roost/api-types/rest'

/** Returns the kind of a filter's values; undefined where the rules do not declare the filter. */
export function filterKind({ filters }: ResourceRules, field: string): FilterKind | undefined {
  return Object.hasOwn(filters, field) ? filters[field] : undefined
}

/** Throws `invalid` for an order that the rules do not declare. */
export function requireOrdering({ ordering }: ResourceRules, field: string): void {
  if (!ordering.includes(field)) throw new RoostError('invalid', `No matching '${field}' field for ordering on.`)
}

export function notFilterable(field: string): RoostError {
  return new RoostError('invalid', `The '${field}' field does not allow filtering.`)
}

/** Returns the error for a text that is too short or too long to search for. */
export function notASearch(field: string, texts: readonly unknown[]): RoostError {
  const shown = texts.map(String).join(',').slice(0, 64)
  return new RoostError(
    'invalid',
    `Invalid ${field} '${shown}' provided. Please provide 1 to ${maxSearchLength} characters.`,
  )
}

/** Returns the error for the negation of a value that no record has: it would exclude nothing. */
export function notAValue(field: string, value: string, known: readonly string[]): RoostError {
  return new RoostError(
    'invalid',
    `Invalid ${field}__not '${value.slice(0, 64)}' provided. Known values: ${known.join(', ')}.`,
  )
}

/** Returns the error for a value of another kind than its filter's. */
export function mismatchedValue(): RoostError {
  return new RoostError('invalid', 'Invalid resource lookup data provided (mismatched type).')
}
