import type { Collector } from './engine/collector.js'
import { part, ratio } from './engine/metric.js'
import type { Measurement } from './engine/metric.js'
import { columns, eachLine } from './engine/text.js'

// The columns of /proc/stat under the names of collectd. Guest time is already part of user and nice.
const states = ['user', 'nice', 'system', 'idle', 'wait', 'interrupt', 'softirq', 'steal'] as const

/** Reports the ticks of the CPUs in each state, as percentages of all their ticks. */
export function cpuMeasurements(stat: string): readonly Measurement[] {
  const measurements: Measurement[] = []
  // The CPUs come first; the line of interrupts that follows is by far the longest.
  const end = stat.indexOf('\nintr')
  eachLine(end === -1 ? stat : stat.slice(0, end), (line) => {
    const [name = '', ...numbers] = columns(line)
    if (!name.startsWith('cpu')) return
    const prefix = name === 'cpu' ? 'aggregation.cpu-average.cpu' : `cpu.${part(name.slice(3))}`
    const ticks = numbers.slice(0, states.length).map(Number)
    const total = ticks.reduce((sum, value) => sum + value, 0)
    ticks.forEach((value, i) => measurements.push(ratio(`${prefix}.${states[i]}`, 'percent', value * 100, total)))
  })
  return measurements
}

/** Reports the percentage of time in each state, for each CPU and for all together. */
export const cpu: Collector = {
  name: 'cpu',
  read: ({ machine }) => cpuMeasurements(machine.read('/proc/stat') ?? ''),
}
