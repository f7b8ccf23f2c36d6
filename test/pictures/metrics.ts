import type { MetricDefinition } from '@roost/api-types/agent'

interface Metric extends MetricDefinition {
  /** Its usual value. */
  readonly level: number
  /** How much of the level a day and an hour change. */
  readonly swing: number
}

const metric = (
  name: string,
  unit: string,
  level: number,
  swing: number,
  aggregation: MetricDefinition['aggregation'] = 'sum',
): Metric => ({ name, unit, level, swing, aggregation })

const all: readonly Metric[] = [
  ...[['user', 21] as const, ['system', 8] as const, ['wait', 4] as const].map(([name, level]) =>
    metric(`aggregation.cpu-average.cpu.${name}`, 'percent', level, 0.5, 'mean'),
  ),
  ...[['shortterm', 6.2] as const, ['midterm', 6] as const, ['longterm', 5.8] as const].map(([name, level]) =>
    metric(`load.${name}`, 'load', level, 0.4, 'mean'),
  ),
  metric('memory.used', 'bytes', 31e9, 0.1),
  metric('memory.cached', 'bytes', 84e9, 0.05),
  metric('memory.free', 'bytes', 9e9, 0.3),
  metric('interface.bond0.if_octets.rx', 'bytes/s', 240e6, 0.6),
  metric('interface.bond0.if_octets.tx', 'bytes/s', 310e6, 0.6),
  metric('disk.sda.disk_octets.read', 'bytes/s', 140e6, 0.5),
  metric('disk.sda.disk_octets.write', 'bytes/s', 95e6, 0.5),
]

export const definitions: readonly MetricDefinition[] = all.map(({ name, unit, aggregation }) => ({
  name,
  unit,
  aggregation,
}))

/** Returns the value of each metric at a time: busy by day, with waves of minutes. `seed` tells the nodes apart. */
export function valuesAt(timeMs: number, seed: number): Float64Array {
  return Float64Array.from(all, ({ level, swing }, i) => {
    const day = Math.sin(((timeMs / 3_600_000 - 9) / 24) * 2 * Math.PI)
    const minutes = Math.sin(timeMs / 410_000 + i + seed) * 0.5 + Math.sin(timeMs / 97_000 + i * 3 + seed * 5) * 0.25
    return Math.round(level * (1 + swing * (0.6 * day + 0.4 * minutes)) * 100) / 100
  })
}
