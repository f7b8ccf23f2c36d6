import { halfHourSeconds } from '@roost/api-types/agent'
import type { UsageMessage } from '@roost/api-types/agent'
import { expect } from 'vitest'

/** A message, and the node that sent it. */
export interface NodeReport {
  readonly node: number
  readonly message: UsageMessage
}

export interface Seconds {
  readonly start: number
  readonly end: number
}

type Counters = Readonly<Record<string, number>>
type Piece = {
  readonly account: string
  readonly halfHour: number
  readonly counters: Counters
  readonly known: number
  /** Of storage: more than one node has reported it. */
  readonly verified?: boolean
}

const text = (seconds: number) => new Date(seconds * 1000).toISOString().replace('T', ' ').replace('.000Z', 'Z')
const unique = <T>(values: readonly T[]): readonly T[] => [...new Set(values)]
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
const byBytes = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other))

/** Folds counters by name. */
function fold(all: readonly Counters[], how: (values: readonly number[]) => number): Counters {
  const names = Object.keys(all[0] ?? {})
  return Object.fromEntries(names.map((name) => [name, how(all.map((one) => one[name] ?? 0))]))
}
const maximum = (values: readonly number[]) => Math.max(...values)
const secondHighest = (values: readonly number[]) => values.toSorted((a, b) => b - a)[values.length > 1 ? 1 : 0] ?? 0

const storageCounters = ({ bytes_used, container_count, object_count }: UsageMessage['storage'][number]) => ({
  bytes_used,
  container_count,
  object_count,
})

/** Slow and simple: reads every message for every value. A half-hour with reports of other policies only is one of zeros. */
export function storageModel(reports: readonly NodeReport[], policy: number, range: Seconds) {
  const rows = reports.flatMap(({ node, message }) =>
    message.storage.map((row) => ({ row, node, halfHour: message.half_hour })),
  )
  const keys = unique(rows.map(({ row, halfHour }) => `${halfHour} ${row.account}`))
  const pieces = keys.map((key): Piece => {
    const ofAll = rows.filter(({ row, halfHour }) => `${halfHour} ${row.account}` === key)
    const ofPolicy = ofAll.filter(({ row }) => row.policy === policy)
    const same = ofPolicy.length > 0 ? ofPolicy : ofAll
    const [first] = same
    const byNode = unique(same.map(({ node }) => node)).map((node) => {
      const own = same.filter((one) => one.node === node).map(({ row }) => storageCounters(row))
      return fold(own, maximum)
    })
    const sampled = [1, 2, 4].filter((bit) => same.some(({ row }) => (row.slots & bit) !== 0))
    return {
      account: first?.row.account ?? '',
      halfHour: first?.halfHour ?? 0,
      counters: fold(byNode, ofPolicy.length > 0 ? secondHighest : () => 0),
      known: sampled.length / 3,
      verified: byNode.length > 1,
    }
  })
  const known = (over: readonly Piece[]) => sum(over.map((piece) => piece.known))
  return answersOf(pieces, range, maximum, known)
}

export function transferModel(reports: readonly NodeReport[], range: Seconds) {
  const rows = reports.flatMap(({ node, message }) =>
    message.transfer.map((row) => ({ row, node, halfHour: message.half_hour })),
  )
  const keys = unique(rows.map(({ row, halfHour }) => `${halfHour} ${row.account}`))
  const pieces = keys.map((key): Piece => {
    const same = rows.filter(({ row, halfHour }) => `${halfHour} ${row.account}` === key)
    const [first] = same
    const byNode = unique(same.map(({ node }) => node)).map((node) => {
      const own = same.filter((one) => one.node === node)
      return fold(
        own.map(({ row: { bytes_in, bytes_out, req_count } }) => ({ bytes_in, bytes_out, req_count })),
        maximum,
      )
    })
    return {
      account: first?.row.account ?? '',
      halfHour: first?.halfHour ?? 0,
      counters: fold(byNode, sum),
      known: 0,
    }
  })
  const known = (_over: readonly Piece[], { start, end }: Seconds) =>
    sum(halfHours(start, end).map((at) => share(reports, at)))
  return answersOf(pieces, range, sum, known)
}

function halfHours(start: number, end: number): readonly number[] {
  return Array.from({ length: (end - start) / halfHourSeconds }, (_, i) => start + i * halfHourSeconds)
}

/** A node is expected from the first half-hour whose log it reported; both are still proxies. */
function share(reports: readonly NodeReport[], halfHour: number): number {
  const logs = reports.filter(({ message }) => message.log_read !== null)
  const readers = unique(logs.map(({ node }) => node)).filter((node) =>
    logs.some((log) => log.node === node && log.message.half_hour <= halfHour),
  )
  const most = readers.map((node) =>
    Math.max(
      0,
      ...logs
        .filter((log) => log.node === node && log.message.half_hour === halfHour)
        .map(({ message }) => message.log_read ?? 0),
    ),
  )
  return readers.length === 0 ? 0 : sum(most) / readers.length
}

function verifiedOf(over: readonly Piece[]): { readonly verified?: boolean } {
  return over.some(({ verified }) => verified !== undefined) ? { verified: over.every((piece) => piece.verified) } : {}
}

function answersOf(
  all: readonly Piece[],
  range: Seconds,
  overTime: (values: readonly number[]) => number,
  known: (over: readonly Piece[], range: Seconds) => number,
) {
  const within = (pieces: readonly Piece[], { start, end }: Seconds) =>
    pieces.filter(({ halfHour }) => halfHour >= start && halfHour < end)
  const row = (over: readonly Piece[], span: Seconds) => ({
    start: text(span.start),
    end: text(span.end),
    pct_complete: expect.closeTo((100 * known(over, span)) / ((span.end - span.start) / halfHourSeconds), 6) as number,
    ...fold(
      over.map(({ counters }) => counters),
      overTime,
    ),
    ...verifiedOf(over),
  })
  const pieces = within(all, range)
  const names = unique(pieces.map(({ account }) => account)).toSorted(byBytes)
  const ofAccount = (account: string) => pieces.filter((piece) => piece.account === account)
  const perAccount = names.map((account) => row(ofAccount(account), range))
  const isShare = pieces.every((piece) => piece.known === 0)
  const counters = perAccount.map(
    ({ start: _start, end: _end, pct_complete: _pct, verified: _verified, ...rest }) => rest as Counters,
  )
  const totalKnown = isShare ? known(pieces, range) : known(pieces, range) / names.length
  return {
    accounts: names.map((account, i) => ({ account, ...perAccount[i] })),
    total:
      names.length === 0
        ? []
        : [
            {
              ...row(pieces, range),
              pct_complete: expect.closeTo(
                (100 * totalKnown) / ((range.end - range.start) / halfHourSeconds),
                6,
              ) as number,
              ...fold(counters, sum),
            },
          ],
    detail: (account: string) =>
      halfHours(range.start, range.end)
        .filter((_, i) => i % 2 === 0)
        .map((start) => ({ start, end: start + 2 * halfHourSeconds }))
        .filter((hour) => within(ofAccount(account), hour).length > 0)
        .map((hour) => row(within(ofAccount(account), hour), hour)),
  }
}
