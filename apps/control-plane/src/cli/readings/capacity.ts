import type { CapacityElement, CapacityFullness, CapacityHistory } from '@roost/api-types/rest'
import type { Command } from 'commander'
import type { Config } from '../../config.js'
import { findCluster, withApi } from '../client/api.js'
import { CommandError, exitCodes } from '../terminal/exit-codes.js'
import { print, withOutput } from '../terminal/output.js'
import type { OutputOptions, View } from '../terminal/output.js'
import type { Terminal } from '../terminal/terminal.js'
import { watched, withWatch } from '../terminal/watch.js'
import type { WatchOptions } from '../terminal/watch.js'

const tb = (terabytes: number) => `${terabytes.toFixed(2)} TB`

const capacityView: View<CapacityElement> = {
  columns: {
    POLICIES: ({ ring_set: set }) => set,
    RAW: ({ total_raw_tb: raw }) => tb(raw),
    USED: ({ total_used_tb: used }) => tb(used),
    FREE: ({ total_free_tb: free }) => tb(free),
    'USED %': ({ total_used_pct: used }) => used.toFixed(1),
    DEVICES: ({ pct_used_stats: stats }) => stats.count,
    'FULLEST %': ({ pct_used_stats: stats }) => stats.max.toFixed(1),
  },
  wide: {
    'P95 %': ({ pct_used_stats: stats }) => stats.pct_95.toFixed(1),
    'MEAN %': ({ pct_used_stats: stats }) => stats.avg.toFixed(1),
    'LEAST %': ({ pct_used_stats: stats }) => stats.min.toFixed(1),
  },
  name: ({ ring_set: set }) => set,
}

/** A day of a set of policies. */
interface CapacityDayRow {
  readonly day: string
  readonly ring_set: string
  readonly total_raw_tb: number | null
  readonly total_used_tb: number | null
  readonly total_free_tb: number | null
  readonly total_used_pct: number | null
  readonly fullest_pct: number | null
}

const known = (value: number | null, shown: (value: number) => string) => (value === null ? null : shown(value))

const historyView: View<CapacityDayRow> = {
  columns: {
    DAY: ({ day }) => day,
    POLICIES: ({ ring_set: set }) => set,
    RAW: ({ total_raw_tb: raw }) => known(raw, tb),
    USED: ({ total_used_tb: used }) => known(used, tb),
    FREE: ({ total_free_tb: free }) => known(free, tb),
    'USED %': ({ total_used_pct: used }) => known(used, (value) => value.toFixed(1)),
    'FULLEST %': ({ fullest_pct: fullest }) => known(fullest, (value) => value.toFixed(1)),
  },
  name: ({ day, ring_set: set }) => `${day} ${set}`,
}

function daysOf({ meta, capacity }: CapacityHistory): readonly CapacityDayRow[] {
  return Array.from({ length: meta.points }, (_, i) => i).flatMap((i) =>
    capacity.map((set) => ({
      day: new Date((meta.start + i * meta.step) * 1000).toISOString().slice(0, 10),
      ring_set: set.ring_set,
      total_raw_tb: set.total_raw_tb[i] ?? null,
      total_used_tb: set.total_used_tb[i] ?? null,
      total_free_tb: set.total_free_tb[i] ?? null,
      total_used_pct: set.total_used_pct[i] ?? null,
      fullest_pct: set.pct_used_stats.max[i] ?? null,
    })),
  )
}

/** Devices of a set of policies that are about as full. */
interface FullnessRow {
  readonly ring_set: string
  readonly from_pct: number
  readonly to_pct: number
  readonly devices: number
}

const fullnessView: View<FullnessRow> = {
  columns: {
    POLICIES: ({ ring_set: set }) => set,
    'USED %': ({ from_pct: from, to_pct: to }) => `${from}–${to}`,
    DEVICES: ({ devices }) => devices,
  },
  name: ({ ring_set: set, from_pct: from }) => `${set} ${from}`,
}

/** One row for each step with a device. */
function stepsOf({ step, fullness }: CapacityFullness): readonly FullnessRow[] {
  return fullness.flatMap(({ ring_set, devices: counts }) =>
    counts
      .map((devices, i) => ({ ring_set, from_pct: i * step, to_pct: (i + 1) * step, devices }))
      .filter(({ devices }) => devices > 0),
  )
}

interface CapacityFlags extends OutputOptions, WatchOptions {
  readonly fullness?: true
  readonly from?: string
  readonly to?: string
}

export function addCapacity(program: Command, config: () => Config, terminal: Terminal): void {
  withWatch(withOutput(program.command('capacity <cluster>')))
    .description('Show raw, used and free capacity of a cluster, by name or id, for each set of storage policies')
    .option('--fullness', 'count the devices by percent used')
    .option('--from <time>', 'one row for each day since this time, such as 2026-11-01')
    .option('--to <time>', 'with --from: end (default: now)')
    .action((nameOrId: string, options: CapacityFlags) =>
      watched(terminal, options, () =>
        withApi(config(), async (rpc) => {
          const { id } = await findCluster(rpc, nameOrId)
          if (options.fullness === true)
            return print(terminal, stepsOf(await rpc.capacity.fullness.query({ id })), fullnessView, options)
          if (options.from === undefined) {
            if (options.to !== undefined) throw new CommandError('Give --from with --to.', exitCodes.usage)
            return print(terminal, (await rpc.clusters.capacity.query({ id })).capacity, capacityView, options)
          }
          const range = { id, start: options.from, ...(options.to !== undefined && { end: options.to }) }
          await print(terminal, daysOf(await rpc.clusters.capacityHistory.query(range)), historyView, options)
        }),
      ),
    )
}
