import type {
  AnswerMessage,
  AppliedMessage,
  CatalogueMessage,
  DeviceUsageMessage,
  DriftMessage,
  HistoryColumnsMessage,
  InventoryMessage,
  LogMessage,
  MountRestoredMessage,
  PlanMessage,
  ProgressMessage,
  UsageMessage,
} from '@roost/api-types/agent'

/** A chunk of history as it came, head first, with the agent's number for the order of its columns. */
export interface HistoryChunk {
  readonly catalogue: number
  readonly chunk: Uint8Array
}

/**
 * The handlers of messages from agents; `context/` connects them. The node id is the one whose key signed the
 * hello of the session, never one that a message names. Every time is already moved to the control plane's clock and
 * never lies in its future.
 *
 * A RoostError of a handler answers the message with `refused`, and the connection stays. Any other error is a fault of
 * the program: it is only logged, and ends the session with 1011.
 */
export interface StreamHandlers {
  /**
   * Resolves when the inventory is stored, or was before: then the agent gets its `ack` and forgets it. Only two run at a
   * time, because a whole fleet sends at once after a restart.
   */
  inventory(nodeId: number, message: InventoryMessage): Promise<void>
  /** Frames that arrive before this resolves may still name the catalogue: keep it in memory before the first await. */
  catalogue(nodeId: number, message: CatalogueMessage): Promise<void>
  /**
   * A metric frame as it came, for `decodeMetricFrame`. The bytes are the handler's to keep. Throws FrameError for what
   * cannot be read, which ends the session. On the hot path: no awaiting, nothing per value.
   */
  frame(nodeId: number, bytes: Uint8Array): void
  deviceUsage(nodeId: number, message: DeviceUsageMessage): Promise<void>
  /** The answer to a request of `requests.ts`. */
  answer(nodeId: number, message: AnswerMessage | PlanMessage): void
  progress(nodeId: number, message: ProgressMessage): Promise<void>
  /** Resolves when the outcome is stored, or was before: then the agent gets its `ack` and forgets it. */
  applied(nodeId: number, message: AppliedMessage): Promise<void>
  drift(nodeId: number, message: DriftMessage): Promise<void>
  /** Resolves when the usage is stored, or was before: then the agent gets its `ack` and forgets it. */
  usage(nodeId: number, message: UsageMessage): Promise<void>
  /** Resolves when it is in the audit log, or was before. Rejects for a share that is not the node's. */
  mountRestored(nodeId: number, message: MountRestoredMessage): Promise<void>
  log(nodeId: number, message: LogMessage): void
  /** Whether chunks of history are taken at all; agents are asked for them only then. */
  keepsHistory(): boolean
  /** Resolves when chunks with this order of columns can be stored. The order may be older than the one in force. */
  historyColumns(nodeId: number, message: Pick<HistoryColumnsMessage, 'id' | 'metrics'>): Promise<void>
  /** Resolves when the chunk is stored, or was before. `skew`: seconds that the agent's clock is ahead of ours. */
  history(nodeId: number, message: HistoryChunk, skew: number): Promise<void>
  /** Called when a session of the node starts. It may follow the last one without a `disconnected` between them. */
  connected(nodeId: number): void
  /** Called when the node has no session left. */
  disconnected(nodeId: number): void
}
