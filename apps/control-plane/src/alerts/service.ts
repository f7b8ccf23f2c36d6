import { isDeepStrictEqual } from 'node:util'
import { RoostError } from '@roost/api-types/rest'
import type { Alert } from '@roost/api-types/rest'
import { resources } from '@roost/api-types/rpc'
import type { AlertService, Filter } from '@roost/api-types/rpc'
import { differences } from '../database/writes.js'
import type { Writes } from '../database/writes.js'
import { watch } from '../rpc/poll-changes.js'
import { found } from '../services/errors.js'
import { assertFresh } from '../services/etag.js'
import { createReads } from '../services/reads.js'
import type { AlertStore } from './store.js'

export interface AlertServiceOptions {
  readonly store: AlertStore
  readonly writes: Writes
  /** Unix milliseconds. */
  readonly now: () => number
}

const watchPeriodMs = 1_000
/** A subscriber that reads slowly still sees what was resolved. */
const shownMs = 300_000
const unresolved = { field: 'state', values: ['pending', 'firing', 'unknown'] }
/** Who asks for a state or for ids wants what has ended, too. */
function namesEnded({ field, isNegated = false }: Filter): boolean {
  return field === 'state' || (field === 'id' && !isNegated)
}

/** The API of alerts. Rounds of the health begin and resolve them; operators acknowledge them. */
export function createAlertService({ store, writes, now }: AlertServiceOptions): AlertService {
  const read = async () => {
    const recent = await store.openOrResolvedSince(new Date(now() - shownMs))
    return new Map(recent.map((alert) => [alert.id, alert]))
  }
  const gone = (last: Alert) => ended(last, now())
  return {
    ...createReads(store),
    list: (query) => {
      return store.list(query.filters.some(namesEnded) ? query : { ...query, filters: [...query.filters, unresolved] })
    },
    change: (id, { acknowledged }, caller, options) =>
      writes.run(caller, async (tx) => {
        const before = found(await store.findForUpdate(tx, id))
        assertFresh(before, resources.alerts.rules, options?.ifMatch)
        const after = await acknowledge()
        const changes = differences({ acknowledged: before.acknowledged }, { acknowledged: after.acknowledged })
        return { result: after, audit: { action: 'change', resource: 'alerts', resourceId: id, changes } }

        async function acknowledge() {
          if (acknowledged === undefined || acknowledged === before.acknowledged) return before
          if (before.state === 'resolved') throw new RoostError('conflict', 'This alert is resolved.')
          const by = acknowledged ? { operator: caller.operator, at: new Date(now()) } : null
          return store.acknowledge(tx, id, by)
        }
      }),
    watch: (signal) => watch<Alert>({ read, isSame: isDeepStrictEqual, gone, periodMs: watchPeriodMs }, signal),
  }
}

/** A pending alert that never fired is stored no longer. */
function ended(last: Alert, nowMs: number): Alert | undefined {
  if (last.state === 'resolved') return undefined
  return { ...last, state: 'resolved', resolved_at: new Date(nowMs).toISOString() }
}
