import { RoostError } from '@roost/api-types/rest'
import { compilePattern } from './pattern.js'
import type { Pattern } from './pattern.js'

const limits = { patterns: 64, patternLength: 256, stars: 16, literals: 1000 } as const

/** What a poll asks for: names as they stand, and patterns in which `*` matches any run of characters. */
export interface MetricQuery {
  readonly literals: readonly string[]
  readonly patterns: readonly Pattern[]
}

/** The names in values of the parameter `metrics`, which may be repeated and isValid names separated by commas. */
export function splitNames(values: readonly string[]): string[] {
  return values.flatMap((value) => value.split(',')).map((name) => name.trim())
}

/** Throws `invalid` for a query without names or beyond the limits, which keep one request from costing seconds. */
export function compileQuery(names: readonly string[]): MetricQuery {
  const asked = [...new Set(names)].filter((name) => name !== '')
  const literals = asked.filter((name) => !name.includes('*'))
  const patterns = asked.filter((name) => name.includes('*'))
  check(asked.length > 0, "The 'metrics' parameter is missing: give metric names separated by commas.")
  check(literals.length <= limits.literals, `Ask for at most ${limits.literals} metric names at once.`)
  check(patterns.length <= limits.patterns, `Ask for at most ${limits.patterns} patterns at once.`)
  for (const pattern of patterns) checkPattern(pattern)
  return { literals, patterns: patterns.map(compilePattern) }
}

function checkPattern(pattern: string): void {
  const shown = pattern.length > 40 ? `${pattern.slice(0, 40)}…` : pattern
  check(
    pattern.length <= limits.patternLength,
    `The pattern '${shown}' is longer than ${limits.patternLength} characters.`,
  )
  check(
    pattern.split('*').length - 1 <= limits.stars,
    `The pattern '${shown}' has more than ${limits.stars} stars; use fewer.`,
  )
}

function check(isValid: boolean, message: string): void {
  if (!isValid) throw new RoostError('invalid', message)
}
