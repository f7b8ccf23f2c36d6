import type {
  Drift,
  DriftAction,
  DriftedNode,
  GenerationDiff,
  GenerationKind,
  Generations,
  GatewayShareChange,
  GatewayShareInput,
  LeftoverRemoval,
  PendingChanges,
  RemovedLeftovers,
  SharePreview,
  ShareSessions,
  ShareUploads,
} from '../rest/index.js'
import type { Caller } from './verbs.js'

/** Differences between nodes and what was deployed to them. */
export interface DriftService {
  get(nodeId: number): Promise<Drift>
  /** `reapply` restores the generation in force on the node; `adopt` changes the shares' fields to what the node has. */
  resolve(nodeId: number, action: DriftAction, caller: Caller): Promise<Drift>
}

/** The nodes that differ from what was deployed to them. */
export interface DriftedNodesService {
  /** Those of a cluster, or of all, by host name. */
  list(query: DriftedNodesQuery): Promise<{ readonly total: number; readonly objects: readonly DriftedNode[] }>
}

export interface DriftedNodesQuery {
  readonly cluster?: number | undefined
  readonly limit: number
  readonly offset: number
}

/** What was deployed to a node before, without secrets. */
export interface GenerationService {
  /** Those that are stored, the newest first. Throws `not_found`. */
  list(nodeId: number, kind: GenerationKind): Promise<Generations>
  /** Throws `not_found` also for a generation that is not stored, and `unavailable` where one cannot be decrypted. */
  diff(nodeId: number, kind: GenerationKind, a: number, b: number): Promise<GenerationDiff>
}

/** Changes of shares and users that are not in force on the nodes to which a deployment to their cluster goes. */
export interface PendingChangeService {
  /** Throws `not_found`. */
  ofCluster(clusterId: number): Promise<PendingChanges>
}

/** The clients of shares. */
export interface ShareSessionsService {
  /** Asks the share's gateway. Throws `not_found`, and `unavailable` with the reason why the gateway has no answer. */
  get(shareId: number): Promise<ShareSessions>
}

/** What shares would be on their gateways, without storing them. */
export interface SharePreviewService {
  /**
   * Checks a new share by the rules of its creation, and asks its gateway for the plan. Throws as the creation does, and `unavailable`
   * with the reason why the gateway has no answer. After `signal` has aborted, a plan that waits for others is not made.
   */
  ofNew(input: GatewayShareInput, caller: Caller, signal: AbortSignal): Promise<SharePreview>
  ofChange(id: number, change: GatewayShareChange, caller: Caller, signal: AbortSignal): Promise<SharePreview>
}

/** What clients have written to a share and is not in Swift. */
export interface ShareUploadsService {
  /** Asks the share's gateway. Throws `not_found`, and `unavailable` when the node is offline or its agent is too old. */
  get(shareId: number): Promise<ShareUploads>
  /** Removes objects that renames left in Swift. Throws as `get` does. */
  removeLeftovers(shareId: number, removal: LeftoverRemoval, caller: Caller): Promise<RemovedLeftovers>
}
