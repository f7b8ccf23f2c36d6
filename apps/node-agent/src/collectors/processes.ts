import type { Collector } from './engine/collector.js'
import { gauge, rate } from './engine/metric.js'
import type { Measurement } from './engine/metric.js'
import { numberAt } from './engine/text.js'

// Lines of /proc/stat.
const sources = [
  { name: 'processes.fork_rate', line: 'processes', make: rate, unit: 'events/s' },
  { name: 'processes.contextswitch', line: 'ctxt', make: rate, unit: 'events/s' },
  { name: 'processes.interrupts', line: 'intr', make: rate, unit: 'events/s' },
  { name: 'processes.ps_state.running', line: 'procs_running', make: gauge, unit: 'count' },
  { name: 'processes.ps_state.blocked', line: 'procs_blocked', make: gauge, unit: 'count' },
] as const

export function processMeasurements(stat: string): readonly Measurement[] {
  return sources.flatMap(({ name, line, make, unit }) => {
    // Only the first number is read: the line of interrupts has thousands of characters.
    const at = stat.indexOf(`\n${line} `)
    const value = at === -1 ? Number.NaN : numberAt(stat, at + line.length + 1)
    return Number.isNaN(value) ? [] : [make(name, unit, value)]
  })
}

/** Parses `shortterm midterm longterm runnable/threads last-pid`. */
function threadMeasurements(loadavg: string): readonly Measurement[] {
  const threads = /\d+\/(\d+)/.exec(loadavg)?.[1]
  return threads === undefined ? [] : [gauge('processes.ps_count.threads', 'count', Number(threads))]
}

/** Reports the kernel's totals of all processes. */
export const processes: Collector = {
  name: 'processes',
  read: ({ machine }) => [
    ...processMeasurements(machine.read('/proc/stat') ?? ''),
    ...threadMeasurements(machine.read('/proc/loadavg') ?? ''),
  ],
}
