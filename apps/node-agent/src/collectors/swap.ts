import type { Collector } from './engine/collector.js'
import { parseMeminfo } from './memory.js'
import { gauge, rate } from './engine/metric.js'
import type { Measurement } from './engine/metric.js'
import { readFields } from './engine/text.js'

const meminfoFields: ReadonlySet<string> = new Set(['SwapTotal', 'SwapFree', 'SwapCached'])
const vmstatFields: ReadonlySet<string> = new Set(['pswpin', 'pswpout'])

function swapMeasurements(meminfo: string, vmstat: string): readonly Measurement[] {
  const space = parseMeminfo(meminfo, meminfoFields)
  const total = space.get('SwapTotal')
  const free = space.get('SwapFree')
  if (total === undefined || free === undefined) return []
  const cached = space.get('SwapCached') ?? 0
  const used = Math.max(0, total - free - cached)
  const pages = readFields(vmstat, ' ', vmstatFields)
  return [
    gauge('swap.total', 'bytes', total),
    gauge('swap.used', 'bytes', used),
    gauge('swap.cached', 'bytes', cached),
    gauge('swap.free', 'bytes', free),
    // A machine without swap space uses none of it.
    gauge('swap.percent.used', 'percent', total === 0 ? 0 : (used / total) * 100),
    rate('swap.swap_io.in', 'pages/s', pages.get('pswpin') ?? Number.NaN),
    rate('swap.swap_io.out', 'pages/s', pages.get('pswpout') ?? Number.NaN),
  ]
}

export const swap: Collector = {
  name: 'swap',
  read: ({ machine }) => swapMeasurements(machine.read('/proc/meminfo') ?? '', machine.read('/proc/vmstat') ?? ''),
}
