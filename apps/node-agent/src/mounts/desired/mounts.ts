import type { DesiredShare, DesiredState, DriftedItem } from '@roost/api-types/agent'

export type GatewayState = DesiredState & { readonly kind: 'gateway' }

/** Describes how a deployment would change mounts. Paths are the machine's own; the same state gives the same plan. */
export interface MountPlan {
  readonly started: readonly string[]
  readonly stopped: readonly string[]
  /** Shares whose mount is replaced on its path: their clients lose their open files. */
  readonly replaced: readonly number[]
  /** Sentences for the operator. */
  readonly notes: readonly string[]
}

/** Names a share whose container is not mounted: nothing may be exported at its path. */
export interface MissingShare {
  readonly share: number
  /** One sentence. */
  readonly reason: string
}

/** Reports a deployment's mounts once its files are written. */
export interface SettledMounts {
  readonly missing: readonly MissingShare[]
  /** Sentences for the operator, such as uploads that continue. */
  readonly notes: readonly string[]
}

/** Releases and restores shares in the servers of this machine. */
export interface ShareServers {
  /** Removes the shares from the servers, so that no server has their folders open. */
  release(shareIds: readonly number[]): Promise<void>
  /** Serves them to clients again, from the folders as they are now. */
  restore(shareIds: readonly number[]): Promise<void>
}

/**
 * Mounts the containers of shares. A deployment calls `start`, writes the servers' files, and calls `settle`
 * once the servers use them, or `abandon` when it rolls back. Each may be called again after a kill.
 */
export interface Mounts {
  /** Returns the mount point of a share, made from the share's id. */
  pathOf(share: Pick<DesiredShare, 'id'>): string
  /** Plans the changes. Rejects with the remedy for a missing storage login, program or folder. */
  plan(desired: GatewayState): Promise<MountPlan>
  /**
   * Starts missing mounts and keeps present ones unchanged. Rejects like `plan`, with nothing changed. The
   * folders in `kept` stay unchanged, whatever is desired of their shares. Resolves to the shares that could
   * not be mounted: the others are, and `settle` leaves these out.
   */
  start(desired: GatewayState, kept?: ReadonlySet<string>): Promise<readonly MissingShare[]>
  /** Keeps these folders as they were before `start`; `settle` then leaves them unchanged. */
  keepUnchanged(kept: ReadonlySet<string>): Promise<void>
  /** Replaces and ends the mounts that `start` left unchanged. */
  settle(): Promise<SettledMounts>
  /** Ends the mounts that `start` began. */
  abandon(): Promise<void>
  /** Lists desired mounts that are not mounted. */
  drift(): Promise<readonly DriftedItem[]>
  /** Sets the servers that serve the shares: they release a share while its mount is replaced or restored. */
  servedBy(servers: ShareServers): void
  /** Mounts what is desired and keeps it mounted; resolves after the first attempt, or after a timeout. */
  open(): Promise<void>
  /** Stops the checks; the mounts stay mounted. */
  close(): Promise<void>
}

/** Names the account that owns every file of every mount; servers write as it. */
export interface MountOwner {
  readonly name: string
  readonly uid: number
  readonly gid: number
}
