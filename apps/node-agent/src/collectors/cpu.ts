import type { Collector } from './collector.js'
import { part, ratio } from './metric.js'
import type { Measurement } from './metric.js'
import { columns } from './text.js'

// The columns of /proc/stat in collectd's words. Guest time is part of user and nice already.
const states = ['user', 'nice', 'system', 'idle', 'wait', 'interrupt', 'softirq', 'steal'] as const

export interface CpuTimes {
  /** Undefined for all CPUs together. */
  readonly cpu: string | undefined
  /** Ticks spent in each state since the start. */
  readonly ticks: ReadonlyMap<string, number>
}

export function parseCpuTimes(stat: string): readonly CpuTimes[] {
  const cpus: CpuTimes[] = []
  for (const line of stat.split('\n')) {
    // The CPUs come first; the line of interrupts that follows is by far the longest.
    if (!line.startsWith('cpu')) break
    const [name = '', ...numbers] = columns(line)
    const ticks = new Map(states.slice(0, numbers.length).map((state, i) => [state, Number(numbers[i])]))
    cpus.push({ cpu: name === 'cpu' ? undefined : name.slice(3), ticks })
  }
  return cpus
}

export function cpuMeasurements(cpus: readonly CpuTimes[]): readonly Measurement[] {
  return cpus.flatMap(({ cpu, ticks }) => {
    const prefix = cpu === undefined ? 'aggregation.cpu-average.cpu' : `cpu.${part(cpu)}.cpu`
    const total = Array.from(ticks.values()).reduce((sum, value) => sum + value, 0)
    return Array.from(ticks, ([state, value]) => ratio(`${prefix}.${state}`, 'percent', value * 100, total))
  })
}

/** How much of the time the CPUs spent in each state, in percent: of one CPU, and of all together. */
export const cpu: Collector = {
  name: 'cpu',
  read: ({ machine }) => cpuMeasurements(parseCpuTimes(machine.read('/proc/stat') ?? '')),
}
