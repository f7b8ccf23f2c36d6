import type { AgentMessage } from '@roost/api-types/agent'

/** Carries the messages of deployments to the control plane. */
export interface Reporter {
  /** Sends a message now; it is lost when there is no connection. */
  send(message: AgentMessage): void
  /** Delivers a message, also over restarts, until it is acknowledged. It supersedes an earlier one of its kind. */
  deliver(kind: string, build: (sequence: number) => object): Promise<void>
  /** Returns true while a message of this kind waits to be acknowledged. */
  isWaiting(kind: string): boolean
}
