import type { Collector } from './engine/collector.js'
import { gauge } from './engine/metric.js'
import type { Measurement } from './engine/metric.js'
import { columns } from './engine/text.js'

/** Parses the load averages over 1, 5 and 15 minutes. */
export function parseLoadavg(text: string): readonly Measurement[] {
  const averages = columns(text).slice(0, 3).map(Number)
  if (averages.length < 3 || averages.some(Number.isNaN)) return []
  const [shortterm = 0, midterm = 0, longterm = 0] = averages
  return [
    gauge('load.shortterm', 'load', shortterm),
    gauge('load.midterm', 'load', midterm),
    gauge('load.longterm', 'load', longterm),
  ]
}

export const load: Collector = {
  name: 'load',
  read: ({ machine }) => parseLoadavg(machine.read('/proc/loadavg') ?? ''),
}
