import { RoostError } from '@roost/api-types/rest'

/** When the database did not answer. */
export interface Outages {
  /** Runs work that needs the database, and records whether that answered. */
  watch(work: () => Promise<void>): Promise<void>
  /** Returns for how much of the last time, in milliseconds, it did not answer. */
  within(periodMs: number): number
}

interface Outage {
  readonly fromMs: number
  readonly untilMs: number
}

/** Keeps what concerns the last hour. */
const keptMs = 3_600_000

/** `now` is in Unix milliseconds. */
export function createOutages(now: () => number): Outages {
  let ended: readonly Outage[] = []
  let fromMs: number | undefined
  return {
    async watch(work) {
      const beganMs = now()
      try {
        await work()
        if (fromMs !== undefined) ended = [...ended, { fromMs, untilMs: beganMs }]
        ended = ended.filter(({ untilMs }) => untilMs > now() - keptMs)
        fromMs = undefined
      } catch (error) {
        if (error instanceof RoostError && error.code === 'unavailable') fromMs ??= beganMs
        throw error
      }
    },
    within(periodMs) {
      const nowMs = now()
      const all = fromMs === undefined ? ended : [...ended, { fromMs, untilMs: nowMs }]
      return all.reduce(
        (sum, { fromMs, untilMs }) => sum + Math.max(0, untilMs - Math.max(fromMs, nowMs - periodMs)),
        0,
      )
    },
  }
}
