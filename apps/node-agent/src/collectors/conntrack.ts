import type { Collector } from './collector.js'
import { gauge, rate } from './metric.js'
import type { Measurement } from './metric.js'
import { columns, lines } from './text.js'

/** How many connections the firewall follows, and how many it may. */
export function conntrackMeasurements(count: number, max: number): readonly Measurement[] {
  return [
    gauge('conntrack.conntrack', 'count', count),
    gauge('conntrack.conntrack.max', 'count', max),
    gauge('conntrack.percent.used', 'percent', (count / max) * 100),
  ]
}

/** The columns of /proc/net/stat/nf_conntrack by name, added up over the CPUs; the numbers are hexadecimal. */
export function parseConntrackStat(text: string): ReadonlyMap<string, number> {
  const [heading = '', ...cpus] = lines(text)
  const sums = new Map<string, number>()
  for (const cpu of cpus) {
    const values = columns(cpu)
    columns(heading).forEach((name, column) => {
      const value = Number.parseInt(values[column] ?? '', 16)
      if (name !== '' && Number.isFinite(value)) sums.set(name, (sums.get(name) ?? 0) + value)
    })
  }
  return sums
}

const events = ['found', 'invalid', 'insert', 'insert_failed', 'drop', 'early_drop', 'search_restart']

export const conntrack: Collector = {
  name: 'conntrack',
  read({ machine }) {
    const count = machine.read('/proc/sys/net/netfilter/nf_conntrack_count')
    const max = machine.read('/proc/sys/net/netfilter/nf_conntrack_max')
    if (count === undefined || max === undefined) return []
    const sums = parseConntrackStat(machine.read('/proc/net/stat/nf_conntrack') ?? '')
    return [
      ...conntrackMeasurements(Number(count), Number(max)),
      ...events.flatMap((event) => {
        const total = sums.get(event)
        return total === undefined ? [] : [rate(`conntrack.events.${event}`, 'events/s', total)]
      }),
    ]
  },
}
