import type { Settings } from '@roost/api-types/agent'
import type { Clock } from '@roost/runtime'
import { isOutOfPace } from './pace.js'
import { offlineAfter } from './presence.js'
import type { Presence } from './presence.js'
import type { Registry } from './registry.js'
import type { SessionOwnership } from './session-ownership.js'
import type { Session } from './session.js'

/** Sessions that are told a new pace in one round, so that a new pace is no storm itself. */
const pacedAtOnce = 500

export interface SweepDeps {
  readonly registry: Registry
  readonly presence: Presence
  readonly ownership: SessionOwnership
  readonly settings: () => Settings
  readonly clock: Clock
}

export interface Sweep {
  start(): void
  stop(): void
}

/** One timer for all sessions: asks the silent ones, ends the dead ones, keeps the pace, and writes who is there. */
export function createSweep({ registry, presence, ownership, settings, clock }: SweepDeps, heartbeatMs: number): Sweep {
  let timer: NodeJS.Timeout | undefined
  /** The authorities that all sessions were told. */
  let told = ''

  function round(): void {
    const now = clock.monotonic()
    const wanted = settings()
    const cas = wanted.ca.join('')
    const isNewCa = cas !== told
    told = cas
    let budget = pacedAtOnce
    for (const session of registry.all()) {
      if (!session.isOpen) continue
      watch(session, now)
      if (session.parked === null) presence.heard(session.speaker.nodeId, session.lastHeard, session.patienceMs)
      if (isNewCa) session.pace(wanted)
      else if (budget > 0 && isOutOfPace(session.intervalMs, wanted.heartbeat_interval_ms)) {
        session.pace(wanted)
        budget -= 1
      }
    }
    for (const nodeId of registry.parkedNodes()) ownership.recallParked(nodeId)
    void presence.flush()
  }

  return {
    start() {
      // What sessions are told that begin before the first round.
      told = settings().ca.join('')
      timer ??= setInterval(round, heartbeatMs / 15).unref()
    },
    stop() {
      clearInterval(timer)
      timer = undefined
    },
  }
}

function watch(session: Session, now: number): void {
  const silentMs = now - session.lastHeard
  if (silentMs > session.patienceMs * offlineAfter) session.terminate()
  // Agents beat on their own, ± 20 %: only a late one is asked.
  else if (silentMs > session.patienceMs * 1.5) session.ping(now)
}
