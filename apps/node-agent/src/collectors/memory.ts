import type { Collector } from './collector.js'
import { gauge } from './metric.js'
import type { Measurement } from './metric.js'
import { columns, lines } from './text.js'

/** Bytes by the names of /proc/meminfo; what it gives without a unit are pieces. */
export function parseMeminfo(text: string): ReadonlyMap<string, number> {
  const fields = new Map<string, number>()
  for (const line of lines(text)) {
    const [name = '', value, unit] = columns(line)
    const amount = Number(value)
    if (name.endsWith(':') && Number.isFinite(amount))
      fields.set(name.slice(0, -1), unit === 'kB' ? amount * 1024 : amount)
  }
  return fields
}

// The parts of the memory, which add up to all of it, in collectd's words.
const parts = {
  free: 'MemFree',
  buffered: 'Buffers',
  cached: 'Cached',
  slab_recl: 'SReclaimable',
  slab_unrecl: 'SUnreclaim',
} as const

const further = {
  total: 'MemTotal',
  available: 'MemAvailable',
  active: 'Active',
  inactive: 'Inactive',
  unevictable: 'Unevictable',
  locked: 'Mlocked',
  dirty: 'Dirty',
  writeback: 'Writeback',
  anonymous: 'AnonPages',
  mapped: 'Mapped',
  shared: 'Shmem',
  kernel_stack: 'KernelStack',
  page_tables: 'PageTables',
  per_cpu: 'Percpu',
  vmalloc_used: 'VmallocUsed',
  commit_limit: 'CommitLimit',
  committed: 'Committed_AS',
  huge_anonymous: 'AnonHugePages',
  huge_reserved: 'Hugetlb',
} as const

export function memoryMeasurements(fields: ReadonlyMap<string, number>): readonly Measurement[] {
  const total = fields.get('MemTotal')
  if (total === undefined) return []
  const known = Object.entries(parts).flatMap(([name, field]) => {
    const bytes = fields.get(field)
    return bytes === undefined ? [] : [{ name, bytes }]
  })
  const used = Math.max(0, total - known.reduce((sum, { bytes }) => sum + bytes, 0))
  const all = [{ name: 'used', bytes: used }, ...known]
  return [
    ...all.map(({ name, bytes }) => gauge(`memory.memory.${name}`, 'bytes', bytes)),
    ...all.map(({ name, bytes }) => gauge(`memory.percent.${name}`, 'percent', (bytes / total) * 100)),
    ...Object.entries(further).flatMap(([name, field]) => {
      const bytes = fields.get(field)
      return bytes === undefined ? [] : [gauge(`memory.memory.${name}`, 'bytes', bytes)]
    }),
  ]
}

export const memory: Collector = {
  name: 'memory',
  read: ({ machine }) => memoryMeasurements(parseMeminfo(machine.read('/proc/meminfo') ?? '')),
}
