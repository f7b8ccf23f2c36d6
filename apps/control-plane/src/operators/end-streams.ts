import type { Clock, Stoppable } from '@roost/runtime'
import type { OpenRequests } from '../http/guards/open-requests.js'
import { every } from '../jobs/every.js'
import type { Log } from '../lifecycle/log.js'
import type { Authentication } from './authentication.js'

export interface EndStreamsOptions {
  readonly open: OpenRequests
  readonly authentication: Pick<Authentication, 'refused'>
  readonly log: Log
  readonly clock: Clock
}

/** The database is asked for each check, so that a stream ends so long after its key and the time of the query, in any case within five seconds. */
const periodMs = 1_500

/** Cuts off what still streams to a key that was revoked or has expired, here or on another replica. */
export function endRefusedStreams({ open, authentication, log, clock }: EndStreamsOptions): Stoppable {
  const check = async () => {
    for (const keyId of await authentication.refused(open.keys())) open.end(keyId)
  }
  return every(periodMs, 'end the streams of keys that no longer work', check, log, clock)
}
