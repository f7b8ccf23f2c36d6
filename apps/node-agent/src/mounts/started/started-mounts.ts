import { inParallel, KeyedQueue, type Log } from '@roost/runtime'
import { keyOf } from '../desired/mount-spec.js'
import type { MountSpec } from '../desired/mount-spec.js'
import type { MountStore } from '../desired/mount-store.js'
import type { ShareServers } from '../desired/mounts.js'
import type { ShareMounts } from './share-mounts.js'

export interface StartedMountsOptions {
  readonly store: MountStore
  readonly shareMounts: ShareMounts
  /** Called when a mount that was down is up again. */
  readonly onRestored: (share: number) => void
  readonly log: Log
}

/** Mounts that start at the same time, each a new process of rclone. */
export const mountsAtOnce = 4

/** Starts and ends mounts: those of one share one after the other, those of several shares at the same time. */
export class StartedMounts {
  readonly #options: StartedMountsOptions
  readonly #queue = new KeyedQueue<number>()
  /** Shares whose mounts a deployment starts, replaces or ends at this moment. */
  readonly #changing = new Set<number>()
  #servers: ShareServers = { release: async () => {}, restore: async () => {} }

  constructor(options: StartedMountsOptions) {
    this.#options = options
  }

  servedBy(servers: ShareServers): void {
    this.#servers = servers
  }

  pathOf({ share }: Pick<MountSpec, 'share'>): string {
    return this.#options.shareMounts.pathOf(share)
  }

  isUp(spec: MountSpec): Promise<boolean> {
    return this.#options.shareMounts.isUp(spec)
  }

  isOutdated(spec: MountSpec): Promise<boolean> {
    return this.#options.shareMounts.isOutdated(spec)
  }

  hasOtherCacheSize(spec: MountSpec): Promise<boolean> {
    return this.#options.shareMounts.hasOtherCacheSize(spec)
  }

  /** Prevents recoveries and restarts of these shares while the work runs. */
  async changing<T>(specs: readonly MountSpec[], work: () => Promise<T>): Promise<T> {
    for (const { share } of specs) this.#changing.add(share)
    try {
      return await work()
    } finally {
      for (const { share } of specs) this.#changing.delete(share)
    }
  }

  isChanging(share: number): boolean {
    return this.#changing.has(share)
  }

  /** Starts mounts; returns the faults in any order. The other mounts are up. */
  start(specs: readonly MountSpec[]): Promise<readonly { readonly item: MountSpec; readonly error: Error }[]> {
    return inParallel(specs, mountsAtOnce, (spec) => this.#queue.run(spec.share, () => this.#up(spec)))
  }

  /** Ends mounts; files that are not in Swift yet are uploaded from now on. */
  async end(specs: readonly MountSpec[]): Promise<void> {
    const faults = await inParallel(specs, mountsAtOnce, (spec) => this.#queue.run(spec.share, () => this.#end(spec)))
    if (faults[0] !== undefined) throw faults[0].error
  }

  /** Replaces a mount; the servers release the share meanwhile. Rejects, and leaves the share released, when it could not be mounted. */
  replace(before: MountSpec, after: MountSpec): Promise<void> {
    return this.#queue.run(after.share, async () => {
      if ((await this.isUp(after)) && !(await this.isOutdated(after))) return
      await this.#servers.release([after.share])
      if (keyOf(before) !== keyOf(after)) await this.#end(before)
      await this.#up(after)
      await this.#servers.restore([after.share])
    })
  }

  /** Mounts a share that is down, unless it is no longer desired. */
  recover(share: number): Promise<void> {
    return this.#queue.run(share, async () => {
      const spec = this.#options.store.desired(share)
      if (spec === undefined || this.isChanging(share) || (await this.isUp(spec))) return
      await this.#notify('release', spec)
      await this.#up(spec)
      await this.#notify('restore', spec)
      this.#options.log.info('mount restored', { path: this.pathOf(spec) })
      this.#options.onRestored(share)
    })
  }

  /** Ends the mount and starts it again; files that are not uploaded stay in its cache. Skips a share that a deployment changes. */
  restart(share: number): Promise<void> {
    return this.#queue.run(share, async () => {
      const spec = this.#options.store.desired(share)
      if (spec === undefined || this.isChanging(share)) return
      await this.#notify('release', spec)
      try {
        await this.#options.shareMounts.down(share)
        await this.#up(spec)
      } finally {
        // A mount that did not end still serves; the keeper recovers one that is down.
        if (await this.isUp(spec)) await this.#notify('restore', spec)
      }
    })
  }

  /** Uploads what an ended mount left, unless a new mount of the share does so. */
  drain(spec: MountSpec): Promise<void> {
    const { store, shareMounts } = this.#options
    return this.#queue.run(spec.share, async () => {
      if (store.drainingLike(spec).length > 0 && (await shareMounts.drain(spec))) await store.removeDraining(spec)
    })
  }

  /** Resolves once nothing is started or ended any longer. */
  idle(): Promise<void> {
    return this.#queue.idle()
  }

  async #end(spec: MountSpec): Promise<void> {
    await this.#options.store.addDraining(spec)
    await this.#options.shareMounts.down(spec.share)
  }

  async #up(spec: MountSpec): Promise<void> {
    const { store, shareMounts } = this.#options
    const left = store.drainingLike(spec)
    for (const one of left) await shareMounts.endDrain(one)
    if (left.length > 0) await store.removeDraining(spec)
    await shareMounts.up(spec)
  }

  /** Notifies the servers; a failure does not keep a mount down. */
  async #notify(verb: keyof ShareServers, spec: MountSpec): Promise<void> {
    try {
      await this.#servers[verb]([spec.share])
    } catch (error) {
      this.#options.log.warn('could not notify the share servers about a mount', { path: this.pathOf(spec), error })
    }
  }
}
