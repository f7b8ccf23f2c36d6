import type { Collector } from './engine/collector.js'
import { part, rate } from './engine/metric.js'
import type { Measurement, Unit } from './engine/metric.js'
import { columns, eachLine } from './engine/text.js'

type Row = readonly [heading: string, group: string, unit: Unit, names: string]

// A selection of the columns of the kernel's fs/xfs/xfs_stats.h, in its order and by its words; `-` skips one.
// The names of groups are those of collectd's plugin.
const rows: readonly Row[] = [
  ['extent_alloc', 'extent_alloc', 'operations/s', 'allocx - freex'],
  ['extent_alloc', 'extent_alloc', 'blocks/s', '- allocb - freeb'],
  ['dir', 'dir_ops', 'operations/s', 'lookup create remove getdents'],
  ['trans', 'trans', 'operations/s', 'sync async empty'],
  ['ig', 'inode_ops', 'operations/s', 'ig_attempts ig_found - ig_missed - ig_reclaims'],
  ['log', 'log', 'operations/s', 'writes - - force'],
  ['log', 'log', 'blocks/s', '- blocks'],
  ['log', 'log', 'events/s', '- - noiclogs - force_sleep'],
  ['push_ail', 'push_ail', 'operations/s', '- - push_ail - - - - - - flush'],
  ['xstrat', 'xstrat', 'operations/s', 'quick split'],
  ['rw', 'rw', 'operations/s', 'write_calls read_calls'],
  ['attr', 'attr', 'operations/s', 'get set'],
  ['buf', 'buf', 'operations/s', 'get create'],
  ['buf', 'buf', 'events/s', '- - - get_locked_waited'],
  ['xpc', 'xpc', 'bytes/s', 'xstrat_bytes write_bytes read_bytes'],
]

interface Field {
  readonly name: string
  readonly column: number
  readonly unit: Unit
}

const selection: ReadonlyMap<string, readonly Field[]> = selectionOf(rows)

function selectionOf(rows: readonly Row[]): ReadonlyMap<string, readonly Field[]> {
  const selection = new Map<string, Field[]>()
  for (const [heading, group, unit, names] of rows) {
    const fields = names.split(' ').map((name, i) => ({ name: `${group}.${name}`, column: i + 1, unit }))
    selection.set(heading, [...(selection.get(heading) ?? []), ...fields.filter(({ name }) => !name.endsWith('.-'))])
  }
  return selection
}

/** Parses the counters of `xfs`, or of one filesystem, such as `xfs.sdb1`. */
export function xfsMeasurements(prefix: string, stats: string): readonly Measurement[] {
  const measurements: Measurement[] = []
  eachLine(stats, (line) => {
    const fields = selection.get(line.slice(0, Math.max(0, line.indexOf(' '))))
    if (!fields) return
    const numbers = columns(line)
    for (const { name, column, unit } of fields) {
      const total = Number(numbers[column] ?? Number.NaN)
      if (!Number.isNaN(total)) measurements.push(rate(`${prefix}.${name}`, unit, total))
    }
  })
  return measurements
}

/** Reports the counters of XFS: for each filesystem, and without a device for the machine since its start. */
export const xfs: Collector = {
  name: 'xfs',
  read({ machine }) {
    const devices = machine.list('/sys/fs/xfs').flatMap((device) => {
      const text = machine.read(`/sys/fs/xfs/${device}/stats/stats`)
      return text === undefined ? [] : xfsMeasurements(`xfs.${part(device)}`, text)
    })
    // Kernels before 4.4 have only the old file.
    return [
      ...xfsMeasurements('xfs', machine.read('/sys/fs/xfs/stats/stats') ?? machine.read('/proc/fs/xfs/stat') ?? ''),
      ...devices,
    ]
  },
}
