import type { Collector } from './collector.js'
import { part, rate } from './metric.js'
import type { Measurement, Unit } from './metric.js'
import { columns, lines } from './text.js'

/** The numbers after each heading of an XFS statistics file. */
export function parseXfsStat(text: string): ReadonlyMap<string, readonly number[]> {
  return new Map(
    lines(text).map((line) => {
      const [heading = '', ...numbers] = columns(line)
      return [heading, numbers.map(Number)]
    }),
  )
}

// The columns worth having of those that the kernel's fs/xfs/xfs_stats.h declares, by their order there.
const selection: Readonly<Record<string, Readonly<Record<string, readonly [column: number, unit: Unit]>>>> = {
  extent_alloc: {
    extents_allocated: [0, 'operations/s'],
    blocks_allocated: [1, 'blocks/s'],
    extents_freed: [2, 'operations/s'],
    blocks_freed: [3, 'blocks/s'],
  },
  dir: {
    lookups: [0, 'operations/s'],
    creates: [1, 'operations/s'],
    removes: [2, 'operations/s'],
    getdents: [3, 'operations/s'],
  },
  trans: { sync: [0, 'operations/s'], async: [1, 'operations/s'], empty: [2, 'operations/s'] },
  ig: {
    attempts: [0, 'operations/s'],
    found: [1, 'operations/s'],
    missed: [3, 'operations/s'],
    reclaims: [5, 'operations/s'],
  },
  log: {
    writes: [0, 'operations/s'],
    blocks: [1, 'blocks/s'],
    no_buffers: [2, 'events/s'],
    forces: [3, 'operations/s'],
    force_sleeps: [4, 'events/s'],
  },
  push_ail: { pushes: [2, 'operations/s'], flushes: [9, 'operations/s'] },
  rw: { write_calls: [0, 'operations/s'], read_calls: [1, 'operations/s'] },
  attr: { gets: [0, 'operations/s'], sets: [1, 'operations/s'] },
  buf: { gets: [0, 'operations/s'], creates: [1, 'operations/s'], locked_waits: [3, 'events/s'] },
  xpc: { flushed: [0, 'bytes/s'], written: [1, 'bytes/s'], read: [2, 'bytes/s'] },
}

export function xfsMeasurements(device: string, stat: ReadonlyMap<string, readonly number[]>): readonly Measurement[] {
  return Object.entries(selection).flatMap(([heading, fields]) =>
    Object.entries(fields).flatMap(([field, [column, unit]]) => {
      const total = stat.get(heading)?.[column]
      return total === undefined || Number.isNaN(total)
        ? []
        : [rate(`xfs.${part(device)}.${heading}.${field}`, unit, total)]
    }),
  )
}

/** What the XFS code does: for each filesystem, and as `ALL` for the machine since its start. */
export const xfs: Collector = {
  name: 'xfs',
  read({ machine }) {
    const devices = machine.list('/sys/fs/xfs').flatMap((device) => {
      const text = machine.read(`/sys/fs/xfs/${device}/stats/stats`)
      return text === undefined ? [] : xfsMeasurements(device, parseXfsStat(text))
    })
    return [...xfsMeasurements('ALL', parseXfsStat(machine.read('/proc/fs/xfs/stat') ?? '')), ...devices]
  },
}
