import type { EnrolConflict, EnrolRequest, EnrolResponse } from '@roost/api-types/agent'
import type { NodeState } from '@roost/api-types/rest'

/** A node as the stream knows it: whose key must have signed, and which machine spoke last. */
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
  /** Keys that spoke for this node once and may no longer: it was removed, or its place was taken. */
  revokedKeys(uuid: string): Promise<readonly Uint8Array[]>
}

/** What the stream stores about a node. Null keeps the stored value. */
export interface PresenceRow {
  readonly nodeId: number
  readonly state: NodeState
  readonly lastSeen: Date | null
  readonly agentVersion: string | null
  readonly machineId: string | null
  readonly bootId: string | null
}

export interface PresenceStore {
  /** The nodes that were not silent when this was last written: `online`, `stale` and `duplicate`. */
  listPresent(): Promise<readonly { readonly nodeId: number; readonly state: NodeState }[]>
  /** Writes what it can at once and answers the ids written: a row that somebody else has locked waits for the next time. */
  updatePresence(rows: readonly PresenceRow[]): Promise<ReadonlySet<number>>
}

/** Something on the agents' side that an operator must be able to look up later. */
export interface FleetEvent {
  /** `refuse` (a message or a hello for another node) or `duplicate` (two machines with one identity). */
  readonly action: 'refuse' | 'duplicate'
  readonly nodeId: number
  /** Who did it, such as `agent 5f0c…`, or `agent` where no signature was verified. */
  readonly actor: string
  readonly address: string
  readonly details: Readonly<Record<string, string>>
}

export interface FleetAudit {
  record(event: FleetEvent): Promise<void>
}

/** Whose place an enrolment may take. */
export type KnownNode = EnrolConflict['known_node']

export type EnrolOutcome =
  | { readonly kind: 'enrolled'; readonly node: Pick<EnrolResponse, 'node_id' | 'node_uuid' | 'cluster'> }
  /** This hardware was a node before: nothing is changed, and the token is not used up. */
  | { readonly kind: 'known'; readonly node: KnownNode }

export interface Enrolments {
  /** Throws RoostError: `unauthenticated` for whatever is wrong with the token. */
  enrol(request: EnrolRequest, address: string): Promise<EnrolOutcome>
}
