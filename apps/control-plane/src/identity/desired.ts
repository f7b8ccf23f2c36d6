/** A user of a cluster as its identity service should have it. */
export interface DesiredUser {
  readonly id: number
  readonly name: string
  readonly isSuperuser: boolean
  readonly enabled: boolean
  readonly password: string
  /** Rises with each new password. */
  readonly passwordRevision: number
  /** The password that was set in Keystone last; null: none. */
  readonly knownPasswordRevision: number | null
  /** The project that it got; null before. */
  readonly projectId: string | null
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
}
