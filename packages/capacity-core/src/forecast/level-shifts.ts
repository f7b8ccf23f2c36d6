import { median } from './daily-maxima.js'
import type { DailyMaximum } from './daily-maxima.js'

/** Scales a median of absolute deviations to the standard deviation of a normal distribution. */
const deviationScale = 1.4826
/** A step that deviates this many times as much as others do … */
const deviations = 8
/** … and by more than this share of the size is a shift. */
const leastShare = 0.02
const smallestDeviation = 1e-6

const weekday = (day: number) => ((day % 7) + 7) % 7

/**
 * Finds the days on which the level changed at once, because devices were added or a neighbor was drained: growth before such a day
 * says nothing about growth after it. A step is compared with the steps of the same weekday.
 *
 * @param days ascending; days may be missing
 * @param sizeBytes the size that the shares refer to
 * @returns the days that begin a new level
 */
export function levelShifts(days: readonly DailyMaximum[], sizeBytes: number): readonly number[] {
  const steps = stepsOf(days, sizeBytes)
  const usual = usualSteps(steps)
  const rests = steps.map((step) => step.share - expected(step, usual))
  const deviation = median(rests.map(Math.abs)) * deviationScale + smallestDeviation
  const limit = Math.max(deviations * deviation, leastShare)
  return steps.filter((_, i) => Math.abs(rests[i] as number) > limit).map(({ to }) => to)
}

interface Step {
  readonly from: number
  readonly to: number
  /** Of the size. */
  readonly share: number
}

function stepsOf(days: readonly DailyMaximum[], sizeBytes: number): readonly Step[] {
  return days.slice(1).map(({ day, usedBytes }, i) => {
    const before = days[i] as DailyMaximum
    return { from: before.day, to: day, share: (usedBytes - before.usedBytes) / sizeBytes }
  })
}

/** Returns the median step into each weekday, of neighboring days. */
function usualSteps(steps: readonly Step[]): readonly number[] {
  const single = steps.filter(({ from, to }) => to - from === 1)
  const all = median(single.map(({ share }) => share))
  return Array.from({ length: 7 }, (_, of) => {
    const same = median(single.filter(({ to }) => weekday(to) === of).map(({ share }) => share))
    return [same, all, 0].find((value) => !Number.isNaN(value)) as number
  })
}

/** Where days are missing, a step has the sum of theirs. */
function expected({ from, to }: Step, usual: readonly number[]): number {
  let sum = 0
  for (let day = from + 1; day <= to; day++) sum += usual[weekday(day)] as number
  return sum
}
