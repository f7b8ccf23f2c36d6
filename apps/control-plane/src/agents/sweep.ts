import type { Settings } from '@roost/api-types/agent'
import type { Clock } from '@roost/runtime'
import { isOutOfPace } from './limits/pace.js'
import { offlineAfter } from './presence.js'
import type { Presence } from './presence.js'
import type { Registry } from './registry.js'
import type { SessionOwnership } from './session-ownership.js'
import type { Session } from './session.js'

/** Maximum number of sessions that get a new interval in one round, to limit messages. */
const pacedAtOnce = 500

export interface SweepOptions {
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

/** Creates the timer of all sessions: it pings silent ones, ends dead ones, sends new intervals and writes the presence. */
export function createSweep(
  { registry, presence, ownership, settings, clock }: SweepOptions,
  heartbeatMs: number,
): Sweep {
  let timer: NodeJS.Timeout | undefined
  /** The authorities that all sessions have received. */
  let sentCas = ''

  function round(): void {
    const now = clock.monotonic()
    const wanted = settings()
    const cas = wanted.ca.join('')
    const isNewCa = cas !== sentCas
    sentCas = cas
    let budget = pacedAtOnce
    for (const session of registry.all()) {
      if (!session.isOpen) continue
      watch(session, now)
      if (session.parked === null) presence.heard(session.agent.nodeId, session.lastHeard, session.patienceMs)
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
      // Sessions that start before the first round receive these.
      sentCas = settings().ca.join('')
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
  // Agents send heartbeats on their own, ± 20 %: only late ones get a ping.
  else if (silentMs > session.patienceMs * 1.5) session.ping(now)
}
