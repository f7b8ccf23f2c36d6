import type { Collector } from './collector.js'
import { gauge, part, rate } from './metric.js'
import type { Measurement } from './metric.js'
import { columns, lines } from './text.js'

/** Lines such as `some avg10=0.60 avg60=2.63 avg300=4.67 total=37020073`, the last in microseconds. */
export function parsePressure(resource: string, text: string): readonly Measurement[] {
  return lines(text).flatMap((line) => {
    const [who = '', ...fields] = columns(line)
    return fields.flatMap((field) => {
      const [key = '', text] = field.split('=')
      const value = Number(text)
      if (text === undefined || !Number.isFinite(value)) return []
      const name = `pressure.${part(resource)}.${part(who)}`
      // A microsecond in a second is a ten-thousandth of a percent.
      if (key === 'total') return [rate(`${name}.stalled`, 'percent', value / 10_000)]
      return key.startsWith('avg') ? [gauge(`${name}.${part(key)}`, 'percent', value)] : []
    })
  })
}

/** The share of time in which some, or all, tasks waited for a resource; kernels before 4.20 do not tell. */
export const pressure: Collector = {
  name: 'pressure',
  read: ({ machine }) =>
    machine
      .list('/proc/pressure')
      .flatMap((resource) => parsePressure(resource, machine.read(`/proc/pressure/${resource}`) ?? '')),
}
