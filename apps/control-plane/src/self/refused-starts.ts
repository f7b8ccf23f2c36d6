import type { Log } from '../lifecycle/log.js'

/** Another control plane that waited for the database of this one in vain. */
export interface RefusedStart {
  /** Its process and machine. */
  readonly who: string
  /** Unix milliseconds. */
  readonly ms: number
}

export interface RefusedStarts {
  /** Since when refusals are heard of, in Unix milliseconds. */
  readonly sinceMs: number
  /** Returns the last one; null where none is known. */
  readonly latest: () => RefusedStart | null
  readonly record: (this: void, who: string) => void
}

/** Remembers the control planes that this one keeps off its database. `now` is in Unix milliseconds. */
export function createRefusedStarts(now: () => number, log: Pick<Log, 'warn'>): RefusedStarts {
  let latest: RefusedStart | null = null
  return {
    sinceMs: now(),
    latest: () => latest,
    record(who) {
      log.warn({ who }, 'kept another control plane off the database')
      latest = { who, ms: now() }
    },
  }
}
