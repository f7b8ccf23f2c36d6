import type { Collector } from './engine/collector.js'
import { gauge, part, rate } from './engine/metric.js'
import type { Measurement } from './engine/metric.js'
import { columns, eachLine } from './engine/text.js'

/** Parses lines such as `some avg10=0.60 avg60=2.63 avg300=4.67 total=37020073`; the total is in microseconds. */
export function parsePressure(resource: string, text: string): readonly Measurement[] {
  const measurements: Measurement[] = []
  eachLine(text, (line) => {
    const [who = '', ...fields] = columns(line)
    const prefix = `pressure.${part(resource)}.${part(who)}`
    for (const field of fields) {
      const equals = field.indexOf('=')
      const key = field.slice(0, Math.max(0, equals))
      const value = Number(field.slice(equals + 1) || Number.NaN)
      if (!Number.isFinite(value)) continue
      // A microsecond in a second is a ten-thousandth of a percent.
      if (key === 'total') measurements.push(rate(`${prefix}.stalled`, 'percent', value / 10_000))
      else if (key.startsWith('avg')) measurements.push(gauge(`${prefix}.${part(key)}`, 'percent', value))
    }
  })
  return measurements
}

/** Reports the percentage of time in which some or all tasks waited for a resource; kernels before 4.20 have no such files. */
export const pressure: Collector = {
  name: 'pressure',
  read: ({ machine }) =>
    machine
      .list('/proc/pressure')
      .flatMap((resource) => parsePressure(resource, machine.read(`/proc/pressure/${resource}`) ?? '')),
}
