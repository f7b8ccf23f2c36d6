import { maxUsageSteps, RoostError } from '@roost/api-types/rest'
import type { UsageStep } from '@roost/api-types/rest'
import { halfHourMs } from './half-hours.js'
import type { HalfHours } from './half-hours.js'

/** Cuts a range at the days or months of UTC: the first and the last may be a part of one. Throws `invalid` beyond the limit. */
export function stepsOf({ from, to }: HalfHours, by: UsageStep): readonly HalfHours[] {
  const steps: HalfHours[] = []
  for (let start = from; start < to;) {
    if (steps.length === maxUsageSteps)
      throw new RoostError(
        'invalid',
        `A series has at most ${maxUsageSteps} steps. Ask for a shorter time${by === 'day' ? ', or by=month' : ''}.`,
      )
    const end = Math.min(to, nextStart(start, by))
    steps.push({ from: start, to: end })
    start = end
  }
  return steps
}

function nextStart(halfHour: number, by: UsageStep): number {
  const at = new Date(halfHour * halfHourMs)
  const [year, month, day] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()]
  return (by === 'day' ? Date.UTC(year, month, day + 1) : Date.UTC(year, month + 1)) / halfHourMs
}
