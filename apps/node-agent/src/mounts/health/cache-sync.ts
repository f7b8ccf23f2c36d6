import { type Clock, type Log, Periodic, type Stoppable } from '@roost/runtime'
import { keepHelper, type StartHelper } from '../../machine/helper.js'

export interface CacheSyncOptions {
  /** Returns whether something in the cache is not in Swift. */
  readonly isDirty: () => boolean
  readonly cacheDirectory: string
  readonly start: StartHelper
  readonly clock: Clock
  readonly log: Log
}

const syncEveryMs = 1_000
/** A slow disk may need so long; rclone continues meanwhile. */
const deadlineMs = 120_000

// Node has no syncfs, and it blocks: a shell that stays starts one `sync` at a time.
const script = 'while read -r _; do sync -f -- "$1" || echo failed; echo .; done'

/** Syncs the cache's filesystem each second while it has data that is not in Swift: rclone never does. */
export function startCacheSync({ isDirty, cacheDirectory, start, clock, log }: CacheSyncOptions): Stoppable {
  const helper = keepHelper(start, ['sh', '-c', script, 'roost-sync'])
  let hasFailed = false
  let isStopped = false
  const round = new Periodic({
    clock,
    intervalMs: () => syncEveryMs,
    async work() {
      if (!isDirty()) return
      const { outcome, stdout } = await helper.ask([cacheDirectory], deadlineMs)
      const isSynced = outcome === 'answered' && stdout === ''
      if (!isSynced && !hasFailed && !isStopped)
        log.warn('could not sync the cache to its disk: a power failure would lose files that are not in Swift yet', {
          path: cacheDirectory,
          outcome,
        })
      hasFailed = !isSynced
    },
    onError: (error) => log.error('could not sync the cache', { error }),
  })
  return {
    async stop() {
      isStopped = true
      helper.close()
      await round.stop()
    },
  }
}
