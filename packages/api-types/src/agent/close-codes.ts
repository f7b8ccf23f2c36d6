/** Close codes of the agents' stream, and what the agent does about each. */
export const closeCodes = {
  /** The control plane restarts or sheds load: dial again after the `retry_after_ms` in the reason. */
  serviceRestart: 1012,
  tryAgainLater: 1013,
  /** The hello was wrong or unsigned: keep the identity, dial again with back-off. */
  unauthenticated: 4001,
  helloTimeout: 4002,
  /** The agent speaks a newer protocol than the control plane, or one too old: keep trying, slowly. */
  needsUpgrade: 4003,
  /** A newer session of the same machine took over: dial again with back-off. */
  replaced: 4004,
  /** An operator removed this node: stop; enroll again to come back. */
  revoked: 4005,
  /** Too many messages, or one that cannot be read. */
  policyViolation: 1008,
  /** A message met a fault of the other side's program: dial again with back-off. */
  internalError: 1011,
} as const

/** The reason of a close frame, as JSON. At most 123 bytes. */
export interface CloseReason {
  readonly message: string
  readonly retry_after_ms?: number
}
