import { RoostError } from '@roost/api-types/rest'

const dayMs = 86_400_000

/** A node that reports a large cluster for the first time needs them; its agent keeps what is beyond until the next day. */
const usualPerDay = 50_000

/** Limits the accounts that one node can make known in a day, so that it cannot fill the database with invented names. */
export interface NewAccountLimit {
  /** Days since 1970. */
  readonly day: number
  /** Throws `too_many` if the node has made more accounts known on this day. */
  check(accounts: number): void
}

/** Returns the limit of the day. */
export function newAccountLimit(nowMs: number, perDay: number = usualPerDay): NewAccountLimit {
  return {
    day: Math.floor(nowMs / dayMs),
    check(accounts) {
      if (accounts <= perDay) return
      const limit = `A node can report at most ${perDay} new accounts a day.`
      throw new RoostError('too_many', `${limit} This message will be accepted after 00:00 UTC.`)
    },
  }
}
