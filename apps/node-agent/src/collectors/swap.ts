import type { Collector } from './collector.js'
import { parseMeminfo } from './memory.js'
import { gauge, rate } from './metric.js'
import type { Measurement } from './metric.js'
import { parseVmstat } from './vmem.js'

export function swapMeasurements(
  meminfo: ReadonlyMap<string, number>,
  vmstat: ReadonlyMap<string, number>,
): readonly Measurement[] {
  const total = meminfo.get('SwapTotal')
  const free = meminfo.get('SwapFree')
  if (total === undefined || free === undefined) return []
  const cached = meminfo.get('SwapCached') ?? 0
  const used = Math.max(0, total - free - cached)
  return [
    gauge('swap.swap.total', 'bytes', total),
    gauge('swap.swap.used', 'bytes', used),
    gauge('swap.swap.cached', 'bytes', cached),
    gauge('swap.swap.free', 'bytes', free),
    // A machine without swap space uses none of it.
    gauge('swap.percent.used', 'percent', total === 0 ? 0 : (used / total) * 100),
    ...Object.entries({ in: 'pswpin', out: 'pswpout' }).flatMap(([name, field]) => {
      const pages = vmstat.get(field)
      return pages === undefined ? [] : [rate(`swap.swap_io.${name}`, 'pages/s', pages)]
    }),
  ]
}

export const swap: Collector = {
  name: 'swap',
  read: ({ machine }) =>
    swapMeasurements(
      parseMeminfo(machine.read('/proc/meminfo') ?? ''),
      parseVmstat(machine.read('/proc/vmstat') ?? ''),
    ),
}
