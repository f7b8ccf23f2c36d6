import type { ExplainedPart, Explanation, LeftOutPart } from '@roost/api-types/rest'

/** Parts of each kind in one explanation. */
const mostParts = 1000

interface Parts {
  readonly counted: readonly ExplainedPart[]
  readonly leftOut: readonly LeftOutPart[]
}

/** Adds the parts of an explanation, counted completely and listed up to a bound. */
export function withParts(
  explained: Pick<Explanation, 'name' | 'values' | 'rule'>,
  { counted, leftOut }: Parts,
): Explanation {
  return {
    ...explained,
    counted_count: counted.length,
    counted: counted.slice(0, mostParts),
    left_out_count: leftOut.length,
    left_out: leftOut.slice(0, mostParts),
  }
}

/** Returns a time in Unix seconds as ISO 8601; null where there never was a reading. */
export function readTime(seconds: number | null): string | null {
  return seconds === null || !Number.isFinite(seconds) ? null : new Date(seconds * 1000).toISOString()
}
