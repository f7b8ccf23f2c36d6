import type { AgentMessage, AppliedMessage, DeploymentKind } from '@roost/api-types/agent'
import type { Clock, Log } from '@roost/runtime'
import type { Applier } from './applier.js'
import type { RecordFile } from './record.js'

export interface DeploymentQueueOptions {
  readonly kind: DeploymentKind
  readonly applier: Applier | undefined
  readonly file: RecordFile
  /** Sends a message now; it is lost when there is no connection. */
  readonly send: (message: AgentMessage) => void
  /** Delivers an answer until it is acknowledged; it supersedes an earlier answer of the kind. */
  readonly answer: (message: Omit<AppliedMessage, 'sequence'>) => Promise<void>
  /** Returns true while an answer waits to be acknowledged. */
  readonly isAnswering: () => boolean
  readonly clock: Pick<Clock, 'now' | 'after'>
  readonly log: Log
}
