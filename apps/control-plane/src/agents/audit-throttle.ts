import type { Log } from '../lifecycle/log.js'
import type { Clock } from '@roost/runtime'
import { LRUCache } from 'lru-cache'
import { logged } from '../services/errors.js'
import type { FleetAudit, FleetEvent } from './fleet.js'

const everyMs = 60_000
const maxRemembered = 10_000

/** Records an event. The stream does not wait for it. */
export type RecordEvent = (event: FleetEvent) => void

/** Records at most one event per minute with the same node, address and action: a faulty agent must not fill the audit table. */
export function throttleAudit(audit: FleetAudit, clock: Clock, log: Log): RecordEvent {
  const last = new LRUCache<string, number>({ max: maxRemembered })
  return (event) => {
    const key = [event.action, event.nodeId, event.actor, event.address].join(' ')
    const now = clock.monotonic()
    const before = last.get(key)
    if (before !== undefined && now - before < everyMs) return
    last.set(key, now)
    audit.record(event).catch((error: unknown) => {
      log.error({ ...logged(error), nodeId: event.nodeId, action: event.action }, 'could not write the audit event')
    })
  }
}
