import { type Clock, type Log, Periodic } from '@roost/runtime'
import type { Leftovers } from './leftovers.js'

export interface LeftoverChecks {
  /** Stops the checks and aborts the requests of a running one. */
  stop(): Promise<void>
}

const checkEveryMs = 15_000

/** Checks leftovers apart from the count of dirty files, because Swift may be slow to answer. */
export function startLeftoverChecks(
  leftovers: Pick<Leftovers, 'check'>,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): LeftoverChecks {
  // Each round has its own: signals that depend on a long-lived one would accumulate.
  let ending = new AbortController()
  const round = new Periodic({
    clock,
    intervalMs: () => checkEveryMs,
    work() {
      ending = new AbortController()
      return leftovers.check(ending.signal)
    },
    onError: (error) => log.error('could not check for objects that renames left behind in Swift', { error }),
  })
  return {
    async stop() {
      const stopped = round.stop()
      ending.abort()
      await stopped
    },
  }
}
