import type { Collector } from './engine/collector.js'
import { gauge } from './engine/metric.js'
import type { Measurement } from './engine/metric.js'
import { columns } from './engine/text.js'

/** Parses the seconds since the machine's start. */
export function parseUptime(text: string): readonly Measurement[] {
  const [first] = columns(text)
  const seconds = Number(first || Number.NaN)
  return Number.isNaN(seconds) ? [] : [gauge('uptime', 'seconds', seconds)]
}

export const uptime: Collector = {
  name: 'uptime',
  read: ({ machine }) => parseUptime(machine.read('/proc/uptime') ?? ''),
}
