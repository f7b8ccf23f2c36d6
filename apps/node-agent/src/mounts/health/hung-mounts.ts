import { type Clock, type Log, Periodic, type Stoppable } from '@roost/runtime'
import type { ProbeResult, ProbeTarget, StatfsProbe } from '../../machine/statfs-probe.js'

export interface WatchedMount extends ProbeTarget {
  readonly share: number
}

export interface HungMountsOptions {
  /** Lists the mounts that the kernel shows now. */
  readonly mounts: () => readonly WatchedMount[]
  readonly probe: StatfsProbe
  /** Returns whether the program of a share's mount answers. */
  readonly isAnswering: (share: number) => Promise<boolean>
  /** Ends that program; the mount keeper starts it again. */
  readonly kill: (share: number) => Promise<void>
  readonly onHung: (share: number) => void
  readonly clock: Clock
  readonly log: Log
}

const checkEveryMs = 3_000
/** Time after which a mount hangs although its program answers. */
const hungAfterMs = 8_000
const disconnected = /Transport endpoint is not connected/

/** Finds mounts that do not answer any longer, and ends their programs. Never touches a mount in this process. */
export function watchHungMounts(options: HungMountsOptions): Stoppable {
  const { mounts, probe, isAnswering, kill, onHung, clock, log } = options
  const stuckSince = new Map<number, number>()

  async function isHung(share: number, result: ProbeResult): Promise<boolean> {
    // The mount keeper finds a program that has ended.
    if (result.state === 'failed') return disconnected.test(result.message) && isAnswering(share)
    if (result.state === 'ok') {
      stuckSince.delete(share)
      return false
    }
    const since = stuckSince.get(share) ?? clock.monotonic()
    stuckSince.set(share, since)
    return clock.monotonic() - since >= hungAfterMs || !(await isAnswering(share))
  }

  async function judge({ share, mountPoint }: WatchedMount, result: ProbeResult): Promise<void> {
    if (!(await isHung(share, result))) return
    stuckSince.delete(share)
    log.warn('mount hangs, restarting it', { path: mountPoint })
    onHung(share)
    await kill(share)
  }

  const round = new Periodic({
    clock,
    intervalMs: () => checkEveryMs,
    async work() {
      const watched = mounts()
      probe.keepOnly(watched)
      for (const share of stuckSince.keys())
        if (!watched.some((mount) => mount.share === share)) stuckSince.delete(share)
      const results = await probe.probeAll(watched)
      await Promise.all(watched.map((mount, i) => judge(mount, results[i] as ProbeResult)))
    },
    onError: (error) => log.error('could not check for hanging mounts', { error }),
  })
  return {
    async stop() {
      probe.close()
      await round.stop()
    },
  }
}
