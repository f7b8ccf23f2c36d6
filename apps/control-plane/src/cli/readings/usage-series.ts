import { defaultTop, maxTop } from '@roost/api-types/rest'
import type { UtilizationSeries } from '@roost/api-types/rest'
import { Option } from 'commander'
import type { Command } from 'commander'
import type { Config } from '../../config.js'
import { findCluster, withApi } from '../client/api.js'
import type { Rpc } from '../client/api.js'
import { print, withOutput } from '../terminal/output.js'
import type { OutputOptions, View } from '../terminal/output.js'
import type { Terminal } from '../terminal/terminal.js'
import { watched, withWatch } from '../terminal/watch.js'
import type { WatchOptions } from '../terminal/watch.js'

interface SeriesFlags extends OutputOptions, WatchOptions {
  readonly cluster: string
  readonly from: string
  readonly to?: string
  readonly of: 'storage' | 'transfer'
  readonly by: 'day' | 'month'
  readonly group?: 'policy' | 'account'
  readonly top: string
}

/** A step of a series. */
type Row = Readonly<Record<string, string | number | boolean | null>>

/** Adds the command that shows usage by days or months. */
export function addUsageSeries(usage: Command, config: () => Config, terminal: Terminal): void {
  withWatch(withOutput(usage.command('series')))
    .description('Show the usage of a cluster by days or months')
    .requiredOption('--cluster <cluster>', 'cluster, by name or id')
    .requiredOption('--from <time>', 'start, such as 2026-11-01')
    .option('--to <time>', 'end (default: now)')
    .addOption(new Option('--of <what>', 'what was used').choices(['storage', 'transfer']).default('storage'))
    .addOption(new Option('--by <step>', 'days or months of UTC').choices(['day', 'month']).default('day'))
    .addOption(new Option('--group <group>', 'default: policy for storage').choices(['policy', 'account']))
    .option('--top <count>', `how many accounts have rows of their own, up to ${maxTop}`, String(defaultTop))
    .action((flags: SeriesFlags) =>
      watched(terminal, flags, () => withApi(config(), (rpc) => printSeries(terminal, rpc, flags))),
    )
}

async function printSeries(terminal: Terminal, rpc: Rpc, flags: SeriesFlags): Promise<void> {
  const { cluster, from: start, to: end, of, by, group, top } = flags
  const { id } = await findCluster(rpc, cluster)
  const rest = { ...(end !== undefined && { end }), ...(group !== undefined && { group }) }
  const series = await rpc.utilization.series.query({ id, start, of, by, top: Number(top), ...rest })
  await print(terminal, rowsOf(series), viewOf(series), flags)
}

const counters = {
  storage: ['bytes_used'],
  transfer: ['bytes_in', 'bytes_out', 'req_count'],
} as const

function rowsOf({ of, group, steps, series }: UtilizationSeries): readonly Row[] {
  return series.flatMap((one) =>
    steps.map(({ start, end }, i) => ({
      start,
      end,
      [group]: group === 'policy' ? one.policy_idx : (one.account ?? 'others'),
      ...Object.fromEntries(counters[of].map((name) => [name, one[name]?.[i] ?? null])),
      pct_complete: one.pct_complete[i] ?? 0,
    })),
  )
}

function viewOf({ of, group }: UtilizationSeries): View<Row> {
  const names = ['start', group, ...counters[of], 'pct_complete']
  const columns = names.map((name) => [name.toUpperCase().replaceAll('_', ' '), (row: Row) => row[name]] as const)
  return { columns: Object.fromEntries(columns), name: ({ start }) => String(start) }
}
