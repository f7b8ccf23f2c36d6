import { storageSlots } from '@roost/api-types/agent'
import type {
  AccountStorageUtilization,
  AccountTransferUtilization,
  StorageUtilization,
  TransferUtilization,
} from '@roost/api-types/rest'
import type { Slice, StorageScope, TransferScope, UsageRange, UsageReads } from '@roost/api-types/rpc'
import type { CoverageStore } from './coverage-store.js'
import { roundRange, timeText } from './half-hours.js'
import type { HalfHours } from './half-hours.js'
import type { NamedAccount, Stored, StorageCounters, TransferCounters, UsageStore } from './store.js'

/** The same reads, and all rows in pieces for whoever writes out more than a page. */
export interface UsageFeed<Scope, Row, AccountRow> extends UsageReads<Scope, Row, AccountRow> {
  everyAccount(scope: Scope, range: UsageRange): Promise<AsyncIterable<readonly AccountRow[]>>
  everyHour(scope: Scope, account: string, range: UsageRange): Promise<AsyncIterable<readonly Row[]>>
}

export type StorageFeed = UsageFeed<StorageScope, StorageUtilization, AccountStorageUtilization>
export type TransferFeed = UsageFeed<TransferScope, TransferUtilization, AccountTransferUtilization>

export interface UtilizationFeeds {
  readonly storage: StorageFeed
  readonly transfer: TransferFeed
}

export interface UtilizationServiceOptions {
  readonly storage: UsageStore<StorageScope, StorageCounters>
  readonly transfer: UsageStore<TransferScope, TransferCounters>
  readonly coverage: CoverageStore
  /** Throws `not_found`. */
  readonly requireCluster: (id: number) => Promise<unknown>
  /** Unix milliseconds. */
  readonly now: () => number
}

export function createUtilizationService(options: UtilizationServiceOptions): UtilizationFeeds {
  const { storage, transfer, coverage, requireCluster, now } = options
  const begin = async ({ clusterId }: TransferScope, asked: UsageRange) => {
    const range = roundRange(asked, now())
    await requireCluster(clusterId)
    return range
  }
  return {
    storage: createFeed({ store: storage, begin, completeness: async () => bySamples }),
    transfer: createFeed({
      store: transfer,
      begin,
      completeness: async ({ clusterId }, range) => byShares(await coverage.shares(clusterId, range)),
    }),
  }
}

/** Percent of what was to be known about `accounts` accounts over that time. */
type Completeness = (samples: number, over: HalfHours, accounts: number) => number

const bySamples: Completeness = (samples, { from, to }, accounts) =>
  (100 * samples) / (storageSlots * (to - from) * accounts)

function byShares(shares: ReadonlyMap<number, number>): Completeness {
  const sumOfAll = [...shares.values()].reduce((sum, share) => sum + share, 0)
  return (_samples, { from, to }) => {
    // An hour is two half-hours; anything longer is the range that the shares are of.
    const sum = to - from > 2 ? sumOfAll : (shares.get(from) ?? 0) + (shares.get(from + 1) ?? 0)
    return (100 * sum) / (to - from)
  }
}

interface FeedParts<Scope, Counters> {
  readonly store: UsageStore<Scope, Counters>
  readonly begin: (scope: Scope, asked: UsageRange) => Promise<HalfHours>
  readonly completeness: (scope: Scope, range: HalfHours) => Promise<Completeness>
}

/** Rows that are read at a time where all are wanted. */
const rowsAtOnce = 1000

function createFeed<Scope, Counters extends object>(parts: FeedParts<Scope, Counters>) {
  const { store, begin, completeness } = parts
  const prepare = async (scope: Scope, asked: UsageRange): Promise<Prepared> => {
    const range = await begin(scope, asked)
    return { range, complete: await completeness(scope, range) }
  }
  return { ...pageReads(store, prepare), ...feedReads(store, prepare) }
}

interface Prepared {
  readonly range: HalfHours
  readonly complete: Completeness
}
type Prepare<Scope> = (scope: Scope, asked: UsageRange) => Promise<Prepared>

function pageReads<Scope, Counters extends object>(store: UsageStore<Scope, Counters>, prepare: Prepare<Scope>) {
  return {
    async ofAccounts(scope: Scope, asked: UsageRange, { limit, offset }: Slice) {
      const prepared = await prepare(scope, asked)
      const [rows, total] = await Promise.all([
        store.listAccounts(scope, prepared.range, { limit, offset }),
        store.countAccounts(scope, prepared.range),
      ])
      return { objects: rows.map((row) => accountRow(prepared, row)), total }
    },
    async ofAccount(scope: Scope, account: string, asked: UsageRange) {
      const prepared = await prepare(scope, asked)
      const rows = await store.listAccounts(scope, prepared.range, { account, limit: 1, offset: 0 })
      return { objects: rows.map((row) => rowOf(prepared, row)), total: rows.length }
    },
    async detail(scope: Scope, account: string, asked: UsageRange, slice: Slice) {
      const prepared = await prepare(scope, asked)
      const [rows, total] = await Promise.all([
        store.listHours(scope, account, prepared.range, slice),
        store.countHours(scope, account, prepared.range),
      ])
      return { objects: rows.map((row) => hourRow(prepared, row)), total }
    },
    async total(scope: Scope, asked: UsageRange) {
      const prepared = await prepare(scope, asked)
      const stored = await store.total(scope, prepared.range)
      const objects = stored.accounts === 0 ? [] : [rowOf(prepared, stored, stored.accounts)]
      return { objects, total: objects.length }
    },
  }
}

function feedReads<Scope, Counters extends object>(store: UsageStore<Scope, Counters>, prepare: Prepare<Scope>) {
  return {
    async everyAccount(scope: Scope, asked: UsageRange) {
      const prepared = await prepare(scope, asked)
      return pieces<ReturnType<typeof accountRow<Counters>>>(async (_offset, last) => {
        const slice = { after: last?.account ?? '', limit: rowsAtOnce, offset: 0 }
        const rows = await store.listAccounts(scope, prepared.range, slice)
        return rows.map((row) => accountRow(prepared, row))
      })
    },
    async everyHour(scope: Scope, account: string, asked: UsageRange) {
      const prepared = await prepare(scope, asked)
      return pieces(async (offset) => {
        const rows = await store.listHours(scope, account, prepared.range, { limit: rowsAtOnce, offset })
        return rows.map((row) => hourRow(prepared, row))
      })
    },
  }
}

function accountRow<Counters extends object>(
  prepared: Prepared,
  { account, accountName, ...stored }: Stored<Counters> & NamedAccount,
) {
  const name = accountName === null ? {} : { account_name: accountName }
  return { account, ...rowOf(prepared, stored), ...name }
}

function hourRow<Counters extends object>(
  { range, complete }: Prepared,
  { hour, ...stored }: Stored<Counters> & { readonly hour: number },
) {
  const from = range.from + 2 * hour
  return rowOf({ range: { from, to: from + 2 }, complete }, stored)
}

function rowOf<Counters extends object>(
  { range, complete }: Prepared,
  { counters, samples }: Stored<Counters>,
  accounts = 1,
) {
  // Thirds of the logs of three proxies may add up to a bit more than the whole.
  const percent = Math.min(100, complete(samples, range, accounts))
  return { start: timeText(range.from), end: timeText(range.to), pct_complete: percent, ...counters }
}

/** Reads piece after piece, each only when it is asked for, until one is not full. */
async function* pieces<Row>(
  read: (offset: number, last: Row | undefined) => Promise<readonly Row[]>,
): AsyncGenerator<readonly Row[]> {
  let last: Row | undefined
  for (let offset = 0; ; offset += rowsAtOnce) {
    const rows = await read(offset, last)
    yield rows
    if (rows.length < rowsAtOnce) return
    last = rows.at(-1)
  }
}
