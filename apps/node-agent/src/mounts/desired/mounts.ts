import type { DesiredShare, DesiredState, DriftedItem } from '@roost/api-types/agent'

export type GatewayState = DesiredState & { readonly kind: 'gateway' }

/** What a deployment would do to mounts. Paths are the machine's own; of the same state, the same. */
export interface MountPlan {
  readonly started: readonly string[]
  readonly stopped: readonly string[]
  /** Shares whose mount ends and begins anew on its path: their clients lose what they have open. */
  readonly replaced: readonly number[]
  /** What an operator should know before, one sentence each. */
  readonly notes: readonly string[]
}

/** A share whose container is not mounted: nothing may be exported at its path. */
export interface MissingShare {
  readonly share: number
  /** One sentence. */
  readonly reason: string
}

/** What became of a deployment's mounts once its files were in place. */
export interface SettledMounts {
  readonly missing: readonly MissingShare[]
  /** What an operator should know, such as uploads that go on; one sentence each. */
  readonly notes: readonly string[]
}

/** The servers of this machine, as far as mounts need them. */
export interface ShareServers {
  /** Takes the shares away from their clients, so that no server holds their folders. */
  release(shareIds: readonly number[]): Promise<void>
  /** Gives them to clients again, on the folders as they are now. */
  restore(shareIds: readonly number[]): Promise<void>
}

/**
 * What stands between shares and containers. A deployment calls `start`, writes the servers' files, and calls `settle`
 * once the servers hold to them, or `abandon` when it returns to what was. Each may be called again after a kill.
 */
export interface Mounts {
  /** Where the container of a share is to be found, made from the share's id. */
  pathOf(share: Pick<DesiredShare, 'id'>): string
  /** Rejects with the remedy for what is missing: the storage login, the program, the folder. */
  plan(desired: GatewayState): Promise<MountPlan>
  /**
   * Starts what is missing, and leaves everything that stands as it is. Rejects like `plan`, with nothing changed. The
   * folders in `behind` are to stay as they are, whatever is desired of their shares. Resolves to the shares that could
   * not be mounted: the others are, and `settle` leaves these out.
   */
  start(desired: GatewayState, behind?: ReadonlySet<string>): Promise<readonly MissingShare[]>
  /** Leaves the folders in `behind` as they were before `start`, which is what `settle` then comes to. */
  keepUnchanged(behind: ReadonlySet<string>): Promise<void>
  /** Replaces and ends what `start` left standing. */
  settle(): Promise<SettledMounts>
  /** Ends what `start` began. */
  abandon(): Promise<void>
  /** Mounts that should stand and do not. */
  drift(): Promise<readonly DriftedItem[]>
  /** Who serves the shares: asked around each mount that is replaced, or begun anew because it broke. */
  servedBy(servers: ShareServers): void
  /** Begins to keep standing what should stand; resolves when it has tried, or after a while. */
  open(): Promise<void>
  /** Ends the keeping; the mounts stand on. */
  close(): Promise<void>
}

/** The account that owns every file of every mount, and by which a server has to write to them. */
export interface MountOwner {
  readonly name: string
  readonly uid: number
  readonly gid: number
}
