import { storageSlots } from '@roost/api-types/agent'
import { RoostError } from '@roost/api-types/rest'
import type { UsageGroup, UtilizationSeries } from '@roost/api-types/rest'
import type { UsageSeriesService } from '@roost/api-types/rpc'
import { concurrencyLimit } from '@roost/runtime'
import { roundRange, timeText } from './half-hours.js'
import type { HalfHours } from './half-hours.js'
import type { SeriesCell, SeriesScope, SeriesStore } from './series-store.js'
import { stepsOf } from './steps.js'

interface UsageSeriesOptions {
  readonly store: SeriesStore
  /** Throws `not_found`. */
  readonly requireCluster: (id: number) => Promise<unknown>
  /** Unix milliseconds. */
  readonly now: () => number
}

/** A year of a large cluster keeps the database busy for seconds. */
const readsAtOnce = 2

type Series = UtilizationSeries['series'][number]
type Counter = 'bytes_used' | 'bytes_in' | 'bytes_out' | 'req_count'

/** Usage of a cluster by days or months. */
export function createUsageSeries({ store, requireCluster, now }: UsageSeriesOptions): UsageSeriesService {
  const limited = concurrencyLimit(readsAtOnce)
  return {
    async get(clusterId, query) {
      const { of, by, top, group = of === 'storage' ? 'policy' : 'account' } = query
      if (of === 'transfer' && group === 'policy')
        throw new RoostError('invalid', 'Transfer is not known by policy. Use group=account.')
      const steps = stepsOf(roundRange(query, now()), by)
      await requireCluster(clusterId)
      const scope = { clusterId, steps }
      const series = await limited(() =>
        of === 'storage' ? storageSeries(store, scope, { group, top }) : transferSeries(store, scope, top),
      )
      return {
        of,
        by,
        group,
        steps: steps.map(({ from, to }) => ({ start: timeText(from), end: timeText(to) })),
        series,
      }
    },
  }
}

function percentOf(cell: SeriesCell | undefined, { from, to }: HalfHours): number {
  return cell === undefined ? 0 : (100 * cell.samples) / (storageSlots * (to - from) * cell.accounts)
}

async function storageSeries(
  store: SeriesStore,
  scope: SeriesScope,
  { group, top }: { readonly group: UsageGroup; readonly top: number },
): Promise<Series[]> {
  const cells = await (group === 'policy' ? store.storageByPolicy(scope) : store.storageByAccount(scope, top))
  return seriesOf(cells).map((cellsOfOne) => ({
    ...headOf(cellsOfOne),
    pct_complete: scope.steps.map((step, i) => percentOf(cellsOfOne.get(i), step)),
    bytes_used: scope.steps.map((_step, i) => cellsOfOne.get(i)?.bytes_used ?? null),
  }))
}

async function transferSeries(store: SeriesStore, scope: SeriesScope, top: number): Promise<Series[]> {
  const [cells, shares] = await Promise.all([store.transferByAccount(scope, top), store.coverage(scope)])
  // Where logs were read, an account without a line in them has transferred nothing.
  const unread = (i: number) => (shares.has(i) ? 0 : null)
  const valuesOf = (cellsOfOne: Cells, counter: Counter) =>
    scope.steps.map((_step, i) => cellsOfOne.get(i)?.[counter] ?? unread(i))
  return seriesOf(cells).map((cellsOfOne) => ({
    ...headOf(cellsOfOne),
    pct_complete: scope.steps.map(({ from, to }, i) => Math.min(100, (100 * (shares.get(i) ?? 0)) / (to - from))),
    bytes_in: valuesOf(cellsOfOne, 'bytes_in'),
    bytes_out: valuesOf(cellsOfOne, 'bytes_out'),
    req_count: valuesOf(cellsOfOne, 'req_count'),
  }))
}

/** The cells of one series, by step. */
type Cells = ReadonlyMap<number, SeriesCell>

function seriesOf(cells: readonly SeriesCell[]): readonly Cells[] {
  const found = new Map<string, Map<number, SeriesCell>>()
  for (const cell of cells) {
    const key = JSON.stringify([cell.policyIdx, cell.account])
    found.set(key, (found.get(key) ?? new Map<number, SeriesCell>()).set(cell.step, cell))
  }
  return [...found.values()]
}

function headOf(cells: Cells): Pick<Series, 'policy_idx' | 'account' | 'account_name' | 'is_other'> {
  const { policyIdx = null, account = null, accountName = null } = cells.values().next().value ?? {}
  return { policy_idx: policyIdx, account, account_name: accountName, is_other: policyIdx === null && account === null }
}
