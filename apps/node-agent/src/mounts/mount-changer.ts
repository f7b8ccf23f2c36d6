import { type Clock, inParallel, SerialQueue } from '@roost/runtime'
import type { CacheSizes } from './upkeep/cache-sizes.js'
import type { LoginCheck } from './health/login-check.js'
import { desiredMounts } from './desired/mount-record.js'
import { changesOf, keyOf, mountSpecs } from './desired/mount-spec.js'
import type { MountChanges, MountSpec } from './desired/mount-spec.js'
import type { MountKeeper } from './mount-keeper.js'
import type { MountStore } from './desired/mount-store.js'
import type { GatewayState, MissingShare, SettledMounts } from './desired/mounts.js'
import type { Logins } from './rclone/config.js'
import { mountsAtOnce } from './started/started-mounts.js'
import type { StartedMounts } from './started/started-mounts.js'

export interface MountChangerOptions {
  readonly store: MountStore
  readonly mounts: StartedMounts
  readonly keeper: MountKeeper
  /** Rejects with the remedy when rclone is missing. */
  readonly requireProgram: () => Promise<void>
  readonly checkLogin: LoginCheck
  readonly cacheSizes: CacheSizes
  readonly clock: Clock
}

interface FailedMount {
  readonly spec: MountSpec
  readonly reason: string
}

/** A deployment waits so long for uploads; they continue after it. */
const drainMs = 20_000
const drainCheckMs = 500

/** Changes the mounts for a deployment: start, then settle or abandon. One call at a time. */
export class MountChanger {
  readonly #options: MountChangerOptions
  readonly #queue = new SerialQueue()
  /** Folders that the present deployment keeps unchanged, outdated mounts included. */
  #kept: ReadonlySet<string> = new Set()

  constructor(options: MountChangerOptions) {
    this.#options = options
  }

  /** Returns the changes to these mounts. A mount that an earlier version of the agent started is replaced, too. */
  async changesTo(next: readonly MountSpec[], kept: ReadonlySet<string> = new Set()): Promise<MountChanges> {
    const { store, mounts } = this.#options
    const changes = changesOf(store.record.settled, next)
    const replaced = [...changes.replaced]
    const isReplaced = new Set(replaced.map(({ after }) => after.share))
    for (const spec of next)
      if (store.isSettled(spec.share) && !isReplaced.has(spec.share) && !kept.has(mounts.pathOf(spec)))
        if (await mounts.isOutdated(spec)) replaced.push({ before: spec, after: spec })
    return { ...changes, replaced }
  }

  /** Starts new mounts; returns the shares that could not be mounted, which `settle` leaves out. */
  start(desired: GatewayState, kept: ReadonlySet<string>): Promise<readonly MissingShare[]> {
    return this.#queue.run(async () => {
      const { store, mounts, requireProgram, checkLogin } = this.#options
      this.#kept = kept
      const specs = mountSpecs(desired)
      const staged = this.#keeping(kept, specs)
      const changes = await this.changesTo(staged, kept)
      await this.#options.cacheSizes.requirePart(changes.added, staged)
      const logins = loginsOf(desired, specs)
      if (changes.added.length + changes.replaced.length > 0) {
        await requireProgram()
        await checkLogin(logins)
      }
      await this.#endInterrupted(staged)
      const faults = await mounts.changing(changes.added, async () => {
        await store.save((record) => ({ ...record, staged, logins: { ...record.logins, ...logins } }))
        return mounts.start(changes.added)
      })
      const failed = faults.map(({ item, error }) => ({ spec: item, reason: error.message }))
      const down = await this.#down(unchangedIn(staged, changes).filter((spec) => !kept.has(mounts.pathOf(spec))))
      return this.#leaveOut(failed, down)
    })
  }

  /** Keeps these folders as they were before `start`. */
  keepUnchanged(kept: ReadonlySet<string>): Promise<void> {
    return this.#queue.run(async () => {
      const { store, mounts } = this.#options
      const { staged } = store.record
      if (staged === null) return
      this.#kept = new Set([...this.#kept, ...kept])
      const next = this.#keeping(kept, staged)
      const ended = changesOf(next, staged).added.filter(({ share }) => !store.isSettled(share))
      await mounts.changing(ended, async () => {
        await mounts.end(ended)
        await store.save((record) => ({ ...record, staged: next }))
      })
    })
  }

  /** Completes the deployment; returns missing shares, and notes on uploads. */
  async settle(): Promise<SettledMounts> {
    const { missing, ended } = await this.#queue.run(() => this.#settle())
    return { missing, notes: await this.#drained(ended) }
  }

  abandon(): Promise<void> {
    return this.#queue.run(() => this.#abandon())
  }

  async idle(): Promise<void> {
    await this.#queue.settled()
  }

  async #settle() {
    const { store, mounts } = this.#options
    const { staged } = store.record
    if (staged === null) return { missing: [], ended: [] }
    const { replaced, removed } = await this.changesTo(staged, this.#kept)
    const replacedBefore = replaced.map(({ before }) => before)
    const missing = await mounts.changing([...replacedBefore, ...removed], async () => {
      const found = await this.#replace(replaced)
      await mounts.end(removed)
      await store.save((record) => ({ ...record, settled: staged, staged: null }))
      return found
    })
    return { missing, ended: [...removed, ...replacedBefore] }
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

  /** Replaces mounts one by one, since a share is unavailable to its clients meanwhile. */
  async #replace(replaced: MountChanges['replaced']): Promise<readonly MissingShare[]> {
    const missing: MissingShare[] = []
    for (const { before, after } of replaced)
      await this.#options.mounts
        .replace(before, after)
        .catch((error: Error) => missing.push({ share: after.share, reason: error.message }))
    return missing
  }

  /** Recovers mounts that are down, with one attempt each unless one has just failed; returns the failed ones. */
  async #down(specs: readonly MountSpec[]): Promise<readonly FailedMount[]> {
    const { mounts, keeper } = this.#options
    const failed: FailedMount[] = []
    await inParallel(specs, mountsAtOnce, async (spec) => {
      if (await mounts.isUp(spec)) return
      const known = keeper.fault(spec.share)
      if (known !== undefined) failed.push({ spec, reason: known })
      else await mounts.recover(spec.share).catch((error: Error) => failed.push({ spec, reason: error.message }))
    })
    return failed
  }

  /** Leaves failed mounts out: new ones end now, old ones when this is settled, like a share that was removed. */
  async #leaveOut(started: readonly FailedMount[], served: readonly FailedMount[]): Promise<readonly MissingShare[]> {
    const failed = [...started, ...served]
    if (failed.length === 0) return []
    const { store, mounts } = this.#options
    const ended = started.map(({ spec }) => spec)
    const left = new Set(failed.map(({ spec }) => spec.share))
    await mounts.changing(ended, async () => {
      await mounts.end(ended)
      await store.save((record) => ({
        ...record,
        staged: record.staged?.filter(({ share }) => !left.has(share)) ?? null,
      }))
    })
    return failed.map(({ spec, reason }) => ({ share: spec.share, reason }))
  }

  /** Ends mounts of an interrupted deployment that this one does not need. */
  async #endInterrupted(staged: readonly MountSpec[]): Promise<void> {
    const { store, mounts } = this.#options
    const stray = changesOf(staged, desiredMounts(store.record)).added.filter(({ share }) => !store.isSettled(share))
    await mounts.changing(stray, () => mounts.end(stray))
  }

  /** Waits up to 20 s for uploads of ended mounts; returns a note for each that is not complete. */
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
        `Uploads of share ${share} to the container ${container} are not complete; they continue.`,
    )
  }

  /** Returns the new mounts, except for folders that stay unchanged. */
  #keeping(kept: ReadonlySet<string>, specs: readonly MountSpec[]): readonly MountSpec[] {
    const { store, mounts } = this.#options
    const stays = (spec: MountSpec) => kept.has(mounts.pathOf(spec))
    return [...specs.filter((spec) => !stays(spec)), ...store.record.settled.filter(stays)]
  }
}

/** Lists the mounts that are the same in the old and the new state. */
function unchangedIn(staged: readonly MountSpec[], { added, replaced }: MountChanges): readonly MountSpec[] {
  const changing = new Set([...added, ...replaced.map(({ after }) => after)].map(({ share }) => share))
  return staged.filter(({ share }) => !changing.has(share))
}

function loginsOf({ storage }: GatewayState, [spec]: readonly MountSpec[]): Logins {
  return storage === null || spec === undefined ? {} : { [spec.remote]: storage }
}
