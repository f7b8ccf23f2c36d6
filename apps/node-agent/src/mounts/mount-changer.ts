import type { Clock } from '../clock.js'
import type { LoginCheck } from './login-check.js'
import { desiredMounts } from './mount-record.js'
import { changesOf, keyOf, mountSpecs } from './mount-spec.js'
import type { MountChanges, MountSpec } from './mount-spec.js'
import type { MountKeeper } from './mount-keeper.js'
import type { MountStore } from './mount-store.js'
import type { GatewayState } from './mounts.js'
import type { Logins } from './rclone-config.js'
import type { StartedMounts } from './started-mounts.js'

export interface MountChangerOptions {
  readonly store: MountStore
  readonly mounts: StartedMounts
  readonly keeper: MountKeeper
  /** Rejects with the remedy when rclone is not there. */
  readonly requireProgram: () => Promise<void>
  readonly checkLogin: LoginCheck
  readonly clock: Clock
}

/** A deployment waits so long for uploads; they go on after it. */
const drainMs = 20_000
const drainCheckMs = 500

/** Takes the mounts from one deployment to the next: start, then settle or abandon. One call at a time. */
export class MountChanger {
  readonly #options: MountChangerOptions
  #last: Promise<unknown> = Promise.resolve()

  constructor(options: MountChangerOptions) {
    this.#options = options
  }

  start(desired: GatewayState, behind: ReadonlySet<string>): Promise<void> {
    return this.#inOrder(async () => {
      const { store, mounts, requireProgram, checkLogin } = this.#options
      const specs = mountSpecs(desired)
      const staged = this.#keeping(behind, specs)
      const changes = changesOf(store.record.settled, staged)
      const logins = loginsOf(desired, specs)
      if (changes.added.length + changes.replaced.length > 0) {
        await requireProgram()
        await checkLogin(logins)
      }
      await this.#endInterrupted(staged)
      await mounts.changing(changes.added, async () => {
        await store.save((record) => ({ ...record, staged, logins: { ...record.logins, ...logins } }))
        const faults = await mounts.start(changes.added)
        if (faults[0] === undefined) return
        await this.#abandon()
        throw faults[0].error
      })
    })
  }

  /** Keeps the folders in `behind` as they were before `start`. */
  holdBack(behind: ReadonlySet<string>): Promise<void> {
    return this.#inOrder(async () => {
      const { store, mounts } = this.#options
      const { staged } = store.record
      if (staged === null) return
      const kept = this.#keeping(behind, staged)
      const ended = changesOf(kept, staged).added.filter(({ share }) => !store.isSettled(share))
      await mounts.changing(ended, async () => {
        await mounts.end(ended)
        await store.save((record) => ({ ...record, staged: kept }))
      })
    })
  }

  /** Answers what an operator should know of mounts and uploads. */
  async settle(): Promise<readonly string[]> {
    const { faults, ended } = await this.#inOrder(() => this.#settle())
    return [...faults, ...(await this.#drained(ended))]
  }

  abandon(): Promise<void> {
    return this.#inOrder(() => this.#abandon())
  }

  async idle(): Promise<void> {
    await this.#last
  }

  async #settle() {
    const { store, mounts } = this.#options
    const { settled, staged } = store.record
    if (staged === null) return { faults: [], ended: [] }
    const { replaced, removed } = changesOf(settled, staged)
    const replacedBefore = replaced.map(({ before }) => before)
    const faults = await mounts.changing([...replacedBefore, ...removed], async () => {
      const found = await this.#replace(replaced)
      await mounts.end(removed)
      await store.save((record) => ({ ...record, settled: staged, staged: null }))
      return found
    })
    return { faults, ended: [...removed, ...replacedBefore] }
  }

  async #abandon(): Promise<void> {
    const { store, mounts } = this.#options
    const { settled, staged } = store.record
    if (staged === null) return
    const { added } = changesOf(settled, staged)
    await mounts.changing(added, async () => {
      await mounts.end(added)
      await store.save((record) => ({ ...record, staged: null }))
    })
  }

  /** One after the other, since a share is unavailable to its clients while its mount is replaced. */
  async #replace(replaced: MountChanges['replaced']): Promise<readonly string[]> {
    const faults: string[] = []
    for (const { before, after } of replaced)
      await this.#options.mounts
        .replace(before, after)
        .catch((error: Error) => faults.push(`${error.message} The agent goes on trying.`))
    return faults
  }

  /** Ends what a deployment started that was interrupted, and that this one does not want. */
  async #endInterrupted(staged: readonly MountSpec[]): Promise<void> {
    const { store, mounts } = this.#options
    const stray = changesOf(staged, desiredMounts(store.record)).added.filter(({ share }) => !store.isSettled(share))
    await mounts.changing(stray, () => mounts.end(stray))
  }

  /** Waits a while for uploads of ended mounts; answers which are not complete by then. */
  async #drained(specs: readonly MountSpec[]): Promise<readonly string[]> {
    const { store, keeper, clock } = this.#options
    const until = clock.monotonic() + drainMs
    const keys = new Set(specs.map(keyOf))
    const left = () => store.record.draining.filter((spec) => keys.has(keyOf(spec)))
    for (;;) {
      await keeper.drain(left())
      if (left().length === 0 || clock.monotonic() >= until) break
      await new Promise<void>((resolve) => clock.after(drainCheckMs, resolve))
    }
    return left().map(
      ({ share, container }) =>
        `Uploads of share ${share} to the container ${container} are still under way; they go on.`,
    )
  }

  /** The new mounts, but for the folders that stay as they are. */
  #keeping(behind: ReadonlySet<string>, specs: readonly MountSpec[]): readonly MountSpec[] {
    const { store, mounts } = this.#options
    const stays = (spec: MountSpec) => behind.has(mounts.pathOf(spec))
    return [...specs.filter((spec) => !stays(spec)), ...store.record.settled.filter(stays)]
  }

  #inOrder<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work)
    this.#last = result.catch(() => {})
    return result
  }
}

function loginsOf({ storage }: GatewayState, [spec]: readonly MountSpec[]): Logins {
  return storage === null || spec === undefined ? {} : { [spec.remote]: storage }
}
