import type { Collector } from './engine/collector.js'
import { gauge } from './engine/metric.js'
import type { Measurement } from './engine/metric.js'
import { readFields } from './engine/text.js'

/** Parses the wanted fields of /proc/meminfo, which are in KiB there, to bytes. */
export function parseMeminfo(text: string, wanted: ReadonlySet<string>): ReadonlyMap<string, number> {
  return new Map(Array.from(readFields(text, ':', wanted), ([name, kibibytes]) => [name, kibibytes * 1024]))
}

// These parts and `used` add up to the total. The names are those of collectd.
const parts = [
  ['free', 'MemFree'],
  ['buffered', 'Buffers'],
  ['cached', 'Cached'],
  ['slab_recl', 'SReclaimable'],
  ['slab_unrecl', 'SUnreclaim'],
] as const

const further = [
  ['total', 'MemTotal'],
  ['available', 'MemAvailable'],
  ['active', 'Active'],
  ['inactive', 'Inactive'],
  ['unevictable', 'Unevictable'],
  ['locked', 'Mlocked'],
  ['dirty', 'Dirty'],
  ['writeback', 'Writeback'],
  ['anonymous', 'AnonPages'],
  ['mapped', 'Mapped'],
  ['shared', 'Shmem'],
  ['kernel_stack', 'KernelStack'],
  ['page_tables', 'PageTables'],
  ['per_cpu', 'Percpu'],
  ['vmalloc_used', 'VmallocUsed'],
  ['commit_limit', 'CommitLimit'],
  ['committed', 'Committed_AS'],
  ['huge_anonymous', 'AnonHugePages'],
  ['huge_reserved', 'Hugetlb'],
] as const

const memoryFields: ReadonlySet<string> = new Set([...parts, ...further].map(([, field]) => field))

function memoryMeasurements(fields: ReadonlyMap<string, number>): readonly Measurement[] {
  const total = fields.get('MemTotal')
  if (total === undefined) return []
  const measurements: Measurement[] = []
  const addPart = (name: string, bytes: number): void => {
    measurements.push(gauge(`memory.${name}`, 'bytes', bytes))
    measurements.push(gauge(`memory.percent.${name}`, 'percent', (bytes / total) * 100))
  }
  let used = total
  for (const [name, field] of parts) {
    const bytes = fields.get(field)
    if (bytes === undefined) continue
    addPart(name, bytes)
    used -= bytes
  }
  addPart('used', Math.max(0, used))
  for (const [name, field] of further) {
    const bytes = fields.get(field)
    if (bytes !== undefined) measurements.push(gauge(`memory.${name}`, 'bytes', bytes))
  }
  return measurements
}

export const memory: Collector = {
  name: 'memory',
  read: ({ machine }) => memoryMeasurements(parseMeminfo(machine.read('/proc/meminfo') ?? '', memoryFields)),
}
