import type { Collector } from './engine/collector.js'
import { part, rate } from './engine/metric.js'
import type { Measurement, Unit } from './engine/metric.js'
import { columns, eachLine } from './engine/text.js'

type Row = readonly [heading: string, unit: Unit, names: string]

// A selection of the columns of the kernel's fs/xfs/xfs_stats.h, in its order; `-` skips one.
const rows: readonly Row[] = [
  ['extent_alloc', 'operations/s', 'extents_allocated - extents_freed'],
  ['extent_alloc', 'blocks/s', '- blocks_allocated - blocks_freed'],
  ['dir', 'operations/s', 'lookups creates removes getdents'],
  ['trans', 'operations/s', 'sync async empty'],
  ['ig', 'operations/s', 'attempts found - missed - reclaims'],
  ['log', 'operations/s', 'writes - - forces'],
  ['log', 'blocks/s', '- blocks'],
  ['log', 'events/s', '- - no_buffers - force_sleeps'],
  ['push_ail', 'operations/s', '- - pushes - - - - - - flushes'],
  ['rw', 'operations/s', 'write_calls read_calls'],
  ['attr', 'operations/s', 'gets sets'],
  ['buf', 'operations/s', 'gets creates'],
  ['buf', 'events/s', '- - - locked_waits'],
  ['xpc', 'bytes/s', 'flushed written read'],
]

interface Field {
  readonly name: string
  readonly column: number
  readonly unit: Unit
}

const selection: ReadonlyMap<string, readonly Field[]> = selectionOf(rows)

function selectionOf(rows: readonly Row[]): ReadonlyMap<string, readonly Field[]> {
  const selection = new Map<string, Field[]>()
  for (const [heading, unit, names] of rows) {
    const fields = names.split(' ').map((name, i) => ({ name: `${heading}.${name}`, column: i + 1, unit }))
    selection.set(heading, [...(selection.get(heading) ?? []), ...fields.filter(({ name }) => !name.endsWith('.-'))])
  }
  return selection
}

export function xfsMeasurements(device: string, stats: string): readonly Measurement[] {
  const prefix = `xfs.${part(device)}`
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

/** Reports the counters of XFS: for each filesystem, and as `ALL` for the machine since its start. */
export const xfs: Collector = {
  name: 'xfs',
  read({ machine }) {
    const devices = machine.list('/sys/fs/xfs').flatMap((device) => {
      const text = machine.read(`/sys/fs/xfs/${device}/stats/stats`)
      return text === undefined ? [] : xfsMeasurements(device, text)
    })
    // Kernels before 4.4 have only the old file.
    return [
      ...xfsMeasurements('ALL', machine.read('/sys/fs/xfs/stats/stats') ?? machine.read('/proc/fs/xfs/stat') ?? ''),
      ...devices,
    ]
  },
}
