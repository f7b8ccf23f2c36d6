import { type Clock, concurrencyLimit, inParallel, type Log, Periodic, RetrySchedule } from '@roost/runtime'
import { desiredMounts } from './desired/mount-record.js'
import { keyOf } from './desired/mount-spec.js'
import type { MountSpec } from './desired/mount-spec.js'
import type { MountStore } from './desired/mount-store.js'
import { mountsAtOnce } from './started/started-mounts.js'
import type { StartedMounts } from './started/started-mounts.js'

export interface MountKeeperOptions {
  readonly store: MountStore
  readonly mounts: StartedMounts
  readonly clock: Clock
  readonly log: Log
}

const checkEveryMs = 3_000
/** Servers wait at most so long for mounts when the machine starts. */
const openMs = 20_000

/** Checks every 3 s whether the mounts are up, and mounts those that are not, after a crash of rclone or a start of the machine. */
export class MountKeeper {
  readonly #options: MountKeeperOptions
  readonly #attempts: RetrySchedule
  readonly #limit = concurrencyLimit(mountsAtOnce)
  readonly #recoveries = new Map<number, Promise<void>>()
  #round: Periodic | null = null

  constructor(options: MountKeeperOptions) {
    this.#options = options
    this.#attempts = new RetrySchedule(options.clock)
  }

  /** Mounts what is desired; resolves after the first attempts, or after 20 s. */
  async open(): Promise<void> {
    const { clock, log } = this.#options
    const onError = (error: unknown) => log.error('could not check mounts', { error })
    const first = async () => {
      await this.#check()
      await Promise.all(this.#recoveries.values())
    }
    await Promise.race([first().catch(onError), new Promise<void>((resolve) => clock.after(openMs, resolve))])
    this.#round ??= new Periodic({ clock, intervalMs: () => checkEveryMs, work: () => this.#check(), onError })
  }

  async close(): Promise<void> {
    await this.#round?.stop()
    await Promise.all(this.#recoveries.values())
  }

  /** Returns why the mount of the share could not be recovered last; undefined while it can. */
  fault(share: number): string | undefined {
    return this.#attempts.fault(nameOf(share))
  }

  /** Uploads what these ended mounts left, except where the last attempt has just failed. */
  async drain(specs: readonly MountSpec[]): Promise<void> {
    await inParallel(specs, mountsAtOnce, async (spec) => {
      await this.#attempts.run(`drain ${keyOf(spec)}`, () => this.#options.mounts.drain(spec))
    })
  }

  async #check(): Promise<void> {
    const { store, mounts } = this.#options
    await inParallel(desiredMounts(store.record), mountsAtOnce, async (spec) => {
      if (!mounts.isChanging(spec.share) && !(await mounts.isUp(spec))) this.#recover(spec)
    })
    await this.drain(store.record.draining)
  }

  /** Recovers a mount without waiting: a slow one must not delay the check of others. */
  #recover(spec: MountSpec): void {
    const { share } = spec
    if (this.#recoveries.has(share)) return
    const { mounts, log } = this.#options
    const recovery = this.#limit(async () => {
      const fault = await this.#attempts.run(nameOf(share), () => mounts.recover(share))
      if (fault !== undefined) log.warn('mount is down', { path: mounts.pathOf(spec), fault })
      this.#recoveries.delete(share)
    })
    this.#recoveries.set(share, recovery)
  }
}

function nameOf(share: number): string {
  return `share ${share}`
}
