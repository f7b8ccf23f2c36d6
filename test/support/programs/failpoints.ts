import type { FailpointName } from '@roost/failpoints'

/** The place, and the time that it is passed at which the process ends; the first unless given. */
export type Point = FailpointName | `${FailpointName}@${number}`

/** Variables of a process that ends there as `kill -9` would end it. */
export function killAt(point: Point): Readonly<Record<string, string>> {
  const [name = '', time = '1'] = point.split('@')
  return { NODE_OPTIONS: '--conditions=failpoints', FP: `${name}=exit@${time}` }
}
