import type { MountRestoredMessage } from '@roost/api-types/agent'
import { RoostError } from '@roost/api-types/rest'
import type { RestoredStore } from './restored-store.js'

/** A mount that fails all the time must not fill the audit; the agent's log has each. */
const eventsPerHour = 10

export interface RestoredIntake {
  /** Rejects for a share that is not the node's. */
  accept(nodeId: number, message: MountRestoredMessage): Promise<void>
}

/** Takes restored mounts into the audit. */
export function createRestoredIntake(store: RestoredStore): RestoredIntake {
  return {
    async accept(nodeId, message) {
      if (!(await store.insert(nodeId, message, eventsPerHour)))
        throw new RoostError('not_found', `Share ${message.share} is not a share of this node.`)
    },
  }
}
