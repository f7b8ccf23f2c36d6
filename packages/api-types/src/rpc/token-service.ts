import type { GrantableRole } from '../rest/index.js'
import type { Caller } from './verbs.js'

/** A token with which new nodes enroll. The secret is only in the answer of `create`. */
export interface EnrollmentToken {
  readonly id: number
  readonly cluster: string
  readonly expires: string
  readonly uses_left: number
  /** Roles that it grants to the nodes that enroll with it. */
  readonly roles: readonly GrantableRole[]
}

/** What `roost token create` sends. */
export interface EnrollmentTokenInput {
  readonly cluster: number
  /** Seconds until it expires; 3,600 unless given. */
  readonly ttl_seconds?: number | undefined
  /** How many nodes can enroll with it; 1 unless given. */
  readonly uses?: number | undefined
  /** Roles that it grants to these nodes; none unless given. */
  readonly roles?: readonly GrantableRole[] | undefined
  /** Whether the line of installation, and the lines, prepare the servers of these roles too. */
  readonly prepare?: boolean | undefined
  /** Whether it has the storage servers of Swift send their statistics to the agent; this role is not granted. */
  readonly prepare_storage?: boolean | undefined
}

/** A new token with its secret. */
export interface CreatedToken extends EnrollmentToken {
  readonly token: string
  /** The line that installs the agent on a new node and enrolls it; null where the control plane has no package of the agent. */
  readonly install: string | null
  /** The lines for a machine that has the agent. */
  readonly lines: readonly string[]
  /** Why the lines will not work on another machine, such as a listener on loopback alone, or what they need; null when they will. */
  readonly warning: string | null
}

export interface TokenService {
  /** Throws `invalid` for an unknown cluster. */
  create(input: EnrollmentTokenInput, caller: Caller): Promise<CreatedToken>
  /** Returns the tokens that a node can still enroll with, by id. Their secrets are not stored. */
  list(): Promise<EnrollmentToken[]>
  /** Ends a token at once; nodes that enrolled with it stay. Throws `not_found`, also for one that has expired. */
  revoke(id: number, caller: Caller): Promise<EnrollmentToken>
}
