import type { Collector } from './collector.js'
import { gauge, rate } from './metric.js'
import type { Measurement } from './metric.js'

/** The counters of /proc/vmstat by name. */
export function parseVmstat(text: string): ReadonlyMap<string, number> {
  const fields = new Map<string, number>()
  for (const line of text.split('\n')) {
    const blank = line.indexOf(' ')
    const value = Number(line.slice(blank + 1))
    if (blank > 0 && Number.isFinite(value)) fields.set(line.slice(0, blank), value)
  }
  return fields
}

// What counts up, in collectd's words where it has them; several fields of one line are parts of one figure.
const counters: readonly (readonly [string, 'bytes/s' | 'pages/s' | 'events/s', ...string[]])[] = [
  ['vmpage_io.memory_in', 'bytes/s', 'pgpgin'],
  ['vmpage_io.memory_out', 'bytes/s', 'pgpgout'],
  ['vmpage_faults.minflt', 'events/s', 'pgfault'],
  ['vmpage_faults.majflt', 'events/s', 'pgmajfault'],
  ['vmpage_action.alloc', 'pages/s', 'pgalloc_dma', 'pgalloc_dma32', 'pgalloc_normal', 'pgalloc_movable'],
  ['vmpage_action.free', 'pages/s', 'pgfree'],
  ['vmpage_action.activate', 'pages/s', 'pgactivate'],
  ['vmpage_action.deactivate', 'pages/s', 'pgdeactivate'],
  ['vmpage_action.scan_kswapd', 'pages/s', 'pgscan_kswapd'],
  ['vmpage_action.scan_direct', 'pages/s', 'pgscan_direct'],
  ['vmpage_action.steal_kswapd', 'pages/s', 'pgsteal_kswapd'],
  ['vmpage_action.steal_direct', 'pages/s', 'pgsteal_direct'],
  ['vmpage_action.refault', 'pages/s', 'workingset_refault_file', 'workingset_refault_anon'],
  ['vmpage_action.dirtied', 'pages/s', 'nr_dirtied'],
  ['vmpage_action.written', 'pages/s', 'nr_written'],
  ['vmpage_action.migrate', 'pages/s', 'pgmigrate_success'],
  ['events.alloc_stall', 'events/s', 'allocstall_dma32', 'allocstall_normal', 'allocstall_movable'],
  ['events.compact_stall', 'events/s', 'compact_stall'],
  ['events.oom_kill', 'events/s', 'oom_kill'],
  ['events.numa_miss', 'events/s', 'numa_miss'],
]

const gauges = {
  'vmpage_number.dirty': 'nr_dirty',
  'vmpage_number.writeback': 'nr_writeback',
  'vmpage_number.dirty_threshold': 'nr_dirty_threshold',
  'vmpage_number.dirty_background_threshold': 'nr_dirty_background_threshold',
} as const

export function vmemMeasurements(fields: ReadonlyMap<string, number>): readonly Measurement[] {
  const counted = counters.flatMap(([name, unit, ...sources]) => {
    const present = sources.flatMap((field) => fields.get(field) ?? [])
    if (present.length === 0) return []
    const sum = present.reduce((total, value) => total + value, 0)
    // What goes to and from disks is counted in KiB, everything else in pages.
    return [rate(`vmem.${name}`, unit, unit === 'bytes/s' ? sum * 1024 : sum)]
  })
  const present = Object.entries(gauges).flatMap(([name, field]) => {
    const value = fields.get(field)
    return value === undefined ? [] : [gauge(`vmem.${name}`, 'pages', value)]
  })
  return [...counted, ...present]
}

/** Paging: what moves between memory and disks, and how hard the kernel looks for free pages. */
export const vmem: Collector = {
  name: 'vmem',
  read: ({ machine }) => vmemMeasurements(parseVmstat(machine.read('/proc/vmstat') ?? '')),
}
