/** A user of a cluster as its identity service should have it. */
export interface DesiredUser {
  readonly id: number
  readonly name: string
  readonly isSuperuser: boolean
  readonly enabled: boolean
  /** Null: the user was adopted with its password. */
  readonly password: string | null
  /** Rises with each new password. */
  readonly passwordRevision: number
  /** The password that was set in Keystone last; null: none. */
  readonly knownPasswordRevision: number | null
  /** The project that it got; null before. */
  readonly projectId: string | null
  /** Its id in Keystone, where another program created it and it was adopted; else null. */
  readonly adoptedId: string | null
}

/** A user of another program that was adopted, and removed in Roost since. */
export interface RemovedUser {
  readonly name: string
  readonly userId: string
  readonly projectId: string
}

/** The users of a cluster, and where they belong. */
export interface DesiredIdentity {
  readonly clusterId: number
  /** The UUID of the cluster, by which we know our objects. */
  readonly owner: string
  readonly domain: string
  readonly role: string
  readonly resellerRole: string
  readonly users: readonly DesiredUser[]
  readonly removed: readonly RemovedUser[]
}
