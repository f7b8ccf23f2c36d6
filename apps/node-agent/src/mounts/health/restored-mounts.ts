import type { Clock } from '@roost/runtime'

/** Reports that the mount of a share was down, and that the agent mounted it again. */
export interface RestoredMount {
  readonly share: number
  /** Unix seconds. */
  readonly time: number
  readonly reason: string
}

/** Passes restored mounts to the control plane's audit: at most ten in an hour for each share; the others are only logged. */
export interface RestoredMounts {
  /** Sets the reason why the share is about to be mounted again. */
  explain(share: number, reason: string): void
  record(share: number): void
  /** Passes on what was recorded, and from now on each restored mount when it happens. */
  listen(callback: (restored: RestoredMount) => void): void
}

const hourMs = 3_600_000
const perHour = 10
/** The limit before `listen`; more are dropped. */
const maxWaiting = 1_000
const defaultReason = 'Its rclone process was not running.'

export function createRestoredMounts(clock: Clock): RestoredMounts {
  const reasons = new Map<number, string>()
  const recent = new Map<number, readonly number[]>()
  const waiting: RestoredMount[] = []
  let listener: ((restored: RestoredMount) => void) | undefined

  function isAllowed(share: number): boolean {
    const now = clock.monotonic()
    const times = (recent.get(share) ?? []).filter((time) => now - time < hourMs)
    const isBelow = times.length < perHour
    recent.set(share, isBelow ? [...times, now] : times)
    return isBelow
  }

  return {
    explain: (share, reason) => void reasons.set(share, reason),
    record(share) {
      const reason = reasons.get(share) ?? defaultReason
      reasons.delete(share)
      if (!isAllowed(share)) return
      const restored = { share, time: clock.now() / 1_000, reason }
      if (listener !== undefined) listener(restored)
      else if (waiting.length < maxWaiting) waiting.push(restored)
    },
    listen(callback) {
      listener = callback
      for (const restored of waiting.splice(0)) callback(restored)
    },
  }
}
