import type { EnrollConflict, EnrollRequest, EnrollResponse } from '@roost/api-types/agent'
import type { NodeState } from '@roost/api-types/rest'

/** The identity of a node: its key, and the machine that connected last. */
export interface Identity {
  readonly nodeId: number
  readonly uuid: string
  readonly hostname: string
  /** Raw Ed25519 public key. */
  readonly publicKey: Uint8Array
  readonly machineId: string
  readonly bootId: string
}

export interface Identities {
  find(uuid: string): Promise<Identity | undefined>
  /** Returns former keys of the node that are revoked: it was removed, or replaced. */
  revokedKeys(uuid: string): Promise<readonly Uint8Array[]>
}

/** The stored presence of a node. Null keeps the stored value. */
export interface PresenceRow {
  readonly nodeId: number
  readonly state: NodeState
  readonly lastSeen: Date | null
  readonly agentVersion: string | null
  readonly machineId: string | null
  readonly bootId: string | null
}

export interface PresenceStore {
  /** Returns the nodes that were `online`, `stale` or `duplicate` when this was last written. */
  listPresent(): Promise<readonly { readonly nodeId: number; readonly state: NodeState }[]>
  /** Writes the rows that are not locked, and returns their ids. Others are written the next time. */
  updatePresence(rows: readonly PresenceRow[]): Promise<ReadonlySet<number>>
}

/** An event of the stream for the audit log. */
export interface FleetEvent {
  /** `refuse` (a message or a hello for another node) or `duplicate` (two machines with one identity). */
  readonly action: 'refuse' | 'duplicate'
  readonly nodeId: number
  /** The actor, such as `agent 5f0c…`, or `agent` if no signature was verified. */
  readonly actor: string
  readonly address: string
  readonly details: Readonly<Record<string, string>>
}

export interface FleetAudit {
  record(event: FleetEvent): Promise<void>
}

/** The known node that an enrollment can replace. */
export type KnownNode = EnrollConflict['known_node']

export type EnrollOutcome =
  | { readonly kind: 'enrolled'; readonly node: Pick<EnrollResponse, 'node_id' | 'node_uuid' | 'cluster'> }
  /** This hardware was a node before: nothing is changed, and the token stays valid. */
  | { readonly kind: 'known'; readonly node: KnownNode }

export interface Enrollments {
  /** Throws RoostError, `unauthenticated` for every fault of the token. */
  enroll(request: EnrollRequest, address: string): Promise<EnrollOutcome>
}
