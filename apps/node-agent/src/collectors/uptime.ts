import type { Collector } from './collector.js'
import { gauge } from './metric.js'
import type { Measurement } from './metric.js'
import { columns } from './text.js'

/** Seconds since the machine's start. */
export function parseUptime(text: string): readonly Measurement[] {
  const [first] = columns(text)
  const seconds = Number(first || Number.NaN)
  return Number.isNaN(seconds) ? [] : [gauge('uptime.uptime', 'seconds', seconds)]
}

export const uptime: Collector = {
  name: 'uptime',
  read: ({ machine }) => parseUptime(machine.read('/proc/uptime') ?? ''),
}
