import type { Collector } from './engine/collector.js'
import { gauge, rate } from './engine/metric.js'
import type { Measurement } from './engine/metric.js'
import { columns, eachLine } from './engine/text.js'

/** Reports the number of tracked connections and its limit. */
function conntrackMeasurements(count: number, max: number): readonly Measurement[] {
  return [
    gauge('conntrack', 'count', count),
    gauge('conntrack.max', 'count', max),
    gauge('conntrack.percent', 'percent', (count / max) * 100),
  ]
}

const events: ReadonlySet<string> = new Set(
  'found invalid insert insert_failed drop early_drop search_restart'.split(' '),
)

/** Parses /proc/net/stat/nf_conntrack: a line of names, then a line of hexadecimal numbers for each CPU, which add up. */
export function conntrackEvents(text: string): readonly Measurement[] {
  const rows: string[][] = []
  eachLine(text, (line) => rows.push(columns(line)))
  const [names = [], ...cpus] = rows
  return names.flatMap((name, column) => {
    const total = cpus.reduce((sum, cpu) => sum + Number.parseInt(cpu[column] ?? '', 16), 0)
    return events.has(name) && !Number.isNaN(total) ? [rate(`conntrack.events.${name}`, 'events/s', total)] : []
  })
}

export const conntrack: Collector = {
  name: 'conntrack',
  read({ machine }) {
    const count = machine.read('/proc/sys/net/netfilter/nf_conntrack_count')
    const max = machine.read('/proc/sys/net/netfilter/nf_conntrack_max')
    if (count === undefined || max === undefined) return []
    return [
      ...conntrackMeasurements(Number(count), Number(max)),
      ...conntrackEvents(machine.read('/proc/net/stat/nf_conntrack') ?? ''),
    ]
  },
}
