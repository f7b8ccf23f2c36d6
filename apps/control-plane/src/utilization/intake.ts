import type { UsageMessage } from '@roost/api-types/agent'
import { halfHourSeconds } from '@roost/api-types/agent'
import { RoostError } from '@roost/api-types/rest'
import { Gate } from '../gate.js'
import type { Log } from '../log.js'
import { halfHourMs, timeText } from './half-hours.js'
import type { UsageIntakeStore } from './intake-store.js'

/** After its end a half-hour stays open so long for messages that are on their way. */
const openForMs = 3_600_000

/** After an outage a whole fleet sends what it kept: it must not take the database from the API. */
const messagesAtOnce = 2

export interface UsageIntake {
  /** Resolves when the message is stored, or was before: then the agent forgets it. */
  take(nodeId: number, message: UsageMessage): Promise<void>
}

interface Collaborators {
  readonly store: UsageIntakeStore
  /** The first half-hour that is kept. */
  readonly oldestKept: () => number
  readonly log: Pick<Log, 'info'>
  /** Unix milliseconds. */
  readonly now: () => number
}

export function createUsageIntake({ store, oldestKept, log, now }: Collaborators): UsageIntake {
  const gate = new Gate(messagesAtOnce)
  return {
    async take(nodeId, message) {
      const halfHour = message.half_hour / halfHourSeconds
      if (halfHour * halfHourMs > now())
        throw new RoostError('invalid', `The half-hour of ${timeText(halfHour)} has not begun: set this node's clock.`)
      if (halfHour < oldestKept()) {
        log.info(
          { nodeId, halfHour: timeText(halfHour) },
          'usage arrived that is older than what is kept; it is dropped',
        )
        return
      }
      const { storage, transfer, log_read: logRead } = message
      const isLate = now() >= (halfHour + 1) * halfHourMs + openForMs
      const isStored = await gate.run(() => store.merge({ nodeId, halfHour, storage, transfer, logRead, isLate }))
      if (!isStored) throw new RoostError('not_found', 'This node was removed.')
    },
  }
}
