import type { Stoppable } from '@roost/runtime'
import type { OpenRequests } from '../http/guards/open-requests.js'
import { every } from '../jobs/every.js'
import type { Log } from '../lifecycle/log.js'
import type { Authentication } from './authentication.js'

export interface EndStreamsOptions {
  readonly open: OpenRequests
  readonly authentication: Pick<Authentication, 'refused'>
  readonly log: Log
}

/** With the two seconds for which good credentials are remembered, a stream ends within five of its key's end. */
const periodMs = 1_500

/** Cuts off what still streams to a key that was revoked or has expired, here or on another replica. */
export function endRefusedStreams({ open, authentication, log }: EndStreamsOptions): Stoppable {
  const check = async () => {
    for (const keyId of await authentication.refused(open.keys())) open.end(keyId)
  }
  return every(periodMs, 'end the streams of keys that no longer work', check, log)
}
