import type { Collector } from './engine/collector.js'
import { gauge, rate } from './engine/metric.js'
import type { Measurement } from './engine/metric.js'
import { readFields } from './engine/text.js'

// Counters, under the names of collectd if it has them; several fields of one line add up to one metric.
const counters: readonly (readonly [string, 'bytes/s' | 'pages/s' | 'events/s', ...string[]])[] = [
  ['vmem.vmpage_io.memory_in', 'bytes/s', 'pgpgin'],
  ['vmem.vmpage_io.memory_out', 'bytes/s', 'pgpgout'],
  ['vmem.vmpage_faults.minflt', 'events/s', 'pgfault'],
  ['vmem.vmpage_faults.majflt', 'events/s', 'pgmajfault'],
  ['vmem.vmpage_action.alloc', 'pages/s', 'pgalloc_dma', 'pgalloc_dma32', 'pgalloc_normal', 'pgalloc_movable'],
  ['vmem.vmpage_action.free', 'pages/s', 'pgfree'],
  ['vmem.vmpage_action.activate', 'pages/s', 'pgactivate'],
  ['vmem.vmpage_action.deactivate', 'pages/s', 'pgdeactivate'],
  ['vmem.vmpage_action.scan_kswapd', 'pages/s', 'pgscan_kswapd'],
  ['vmem.vmpage_action.scan_direct', 'pages/s', 'pgscan_direct'],
  ['vmem.vmpage_action.steal_kswapd', 'pages/s', 'pgsteal_kswapd'],
  ['vmem.vmpage_action.steal_direct', 'pages/s', 'pgsteal_direct'],
  ['vmem.vmpage_action.refault', 'pages/s', 'workingset_refault', 'workingset_refault_file', 'workingset_refault_anon'],
  ['vmem.vmpage_action.dirtied', 'pages/s', 'nr_dirtied'],
  ['vmem.vmpage_action.written', 'pages/s', 'nr_written'],
  ['vmem.vmpage_action.migrate', 'pages/s', 'pgmigrate_success'],
  ['vmem.events.alloc_stall', 'events/s', 'allocstall', 'allocstall_dma32', 'allocstall_normal', 'allocstall_movable'],
  ['vmem.events.compact_stall', 'events/s', 'compact_stall'],
  ['vmem.events.oom_kill', 'events/s', 'oom_kill'],
  ['vmem.events.numa_miss', 'events/s', 'numa_miss'],
]

const gauges = [
  ['vmem.vmpage_number.dirty', 'nr_dirty'],
  ['vmem.vmpage_number.writeback', 'nr_writeback'],
  ['vmem.vmpage_number.dirty_threshold', 'nr_dirty_threshold'],
  ['vmem.vmpage_number.dirty_background_threshold', 'nr_dirty_background_threshold'],
] as const

const wanted: ReadonlySet<string> = new Set([
  ...counters.flatMap(([, , ...fields]) => fields),
  ...gauges.map(([, field]) => field),
])

function vmemMeasurements(vmstat: string): readonly Measurement[] {
  const values = readFields(vmstat, ' ', wanted)
  const measurements: Measurement[] = []
  for (const [name, unit, ...fields] of counters) {
    const present = fields.filter((field) => values.has(field))
    const sum = present.reduce((total, field) => total + (values.get(field) ?? 0), 0)
    // Traffic of disks is counted in KiB, everything else in pages.
    if (present.length > 0) measurements.push(rate(name, unit, unit === 'bytes/s' ? sum * 1024 : sum))
  }
  for (const [name, field] of gauges) {
    const value = values.get(field)
    if (value !== undefined) measurements.push(gauge(name, 'pages', value))
  }
  return measurements
}

/** Reports paging: the traffic between memory and disks, and the kernel's search for free pages. */
export const vmem: Collector = {
  name: 'vmem',
  read: ({ machine }) => vmemMeasurements(machine.read('/proc/vmstat') ?? ''),
}
