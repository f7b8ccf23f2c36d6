import { RoostError } from '@roost/api-types/rest'
import { fieldsOf } from './protobuf.js'
import { createMatcher } from './matcher.js'
import type { Matcher } from './matcher.js'

/** One of the questions of a request. Times are Unix milliseconds; both belong to it. */
export interface ReadQuery {
  readonly fromMs: number
  readonly toMs: number
  readonly matchers: readonly Matcher[]
}

/** More are no request of Prometheus, which sends one for each selector of a query. */
const most = { queries: 20, matchers: 50 }

/** Reads the message `ReadRequest`. Throws `invalid`. */
export function readRequest(bytes: Uint8Array): readonly ReadQuery[] {
  const queries: ReadQuery[] = []
  for (const { number, value } of fieldsOf(bytes)) if (number === 1) queries.push(readQuery(bytesOf(value)))
  if (queries.length > most.queries) throw new RoostError('invalid', `At most ${most.queries} queries in a request.`)
  return queries
}

function readQuery(bytes: Uint8Array): ReadQuery {
  let fromMs = 0
  let toMs = 0
  const matchers: Matcher[] = []
  for (const { number, value } of fieldsOf(bytes)) {
    if (number === 1) fromMs = numberOf(value)
    if (number === 2) toMs = numberOf(value)
    if (number === 3) matchers.push(readMatcher(bytesOf(value)))
  }
  if (matchers.length > most.matchers) throw new RoostError('invalid', `At most ${most.matchers} matchers in a query.`)
  return { fromMs, toMs, matchers }
}

function readMatcher(bytes: Uint8Array): Matcher {
  let type = 0
  let name = ''
  let text = ''
  for (const { number, value } of fieldsOf(bytes)) {
    if (number === 1) type = numberOf(value)
    if (number === 2) name = textOf(value)
    if (number === 3) text = textOf(value)
  }
  return createMatcher(type, name, text)
}

function bytesOf(value: number | Uint8Array): Uint8Array {
  if (typeof value !== 'number') return value
  throw new RoostError('invalid', 'The body is not a valid ReadRequest.')
}

function textOf(value: number | Uint8Array): string {
  return Buffer.from(bytesOf(value)).toString()
}

/** Reads an int64: from 2^63 on it is negative, and times before 1970 are as good as 1970. */
function numberOf(value: number | Uint8Array): number {
  if (typeof value === 'number') return value >= 2 ** 63 ? 0 : Math.min(value, 8.64e15)
  throw new RoostError('invalid', 'The body is not a valid ReadRequest.')
}
