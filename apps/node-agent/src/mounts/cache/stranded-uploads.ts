import type { InventoryProblem } from '@roost/api-types/agent'
import { shareNotUploaded } from '@roost/api-types/checks'
import type { Clock, Log } from '@roost/runtime'
import { cacheFolderOf } from '../desired/mount-spec.js'
import type { MountSpec } from '../desired/mount-spec.js'
import type { Restarts } from '../started/restarts.js'
import type { BusyFiles } from './busy-files.js'
import type { DirtyFile } from './files/cached-file.js'
import type { Requeue } from './files/requeue.js'
import type { ShareCache } from './share-cache.js'
import { StrandedShare } from './stranded-share.js'
import type { StrandedFiles } from './stranded-share.js'

export interface StrandedUploadsOptions {
  /** Returns the mount that clients of the share have now. */
  readonly mountOf: (share: number) => MountSpec | undefined
  readonly pathOf: (share: number) => string
  /** Reads the names of deployed shares by the paths of their folders. */
  readonly readNames: () => Promise<Readonly<Record<string, string>>>
  readonly readBusy: BusyFiles
  /** Returns since when Swift answers to the login of a mount, on the monotonic clock. */
  readonly answeringSince: (remote: string) => number | undefined
  readonly requeue: Requeue
  readonly restarts: Pick<Restarts, 'request' | 'pending'>
  readonly onProblems: (problems: readonly InventoryProblem[]) => void
  readonly clock: Clock
  readonly log: Log
}

const reason = 'share_not_uploaded'

/** Queues files again that rclone does not upload, and reports those that stay. */
export class StrandedUploads {
  readonly #options: StrandedUploadsOptions
  readonly #shares = new Map<number, StrandedShare>()
  readonly #stranded = new Map<number, readonly DirtyFile[]>()

  constructor(options: StrandedUploadsOptions) {
    this.#options = options
  }

  /** Checks all shares, after each count. */
  async check(caches: readonly ShareCache[]): Promise<void> {
    const present = new Set(caches.map(({ share }) => share))
    for (const share of this.#shares.keys())
      if (!present.has(share)) {
        this.#shares.delete(share)
        this.#stranded.delete(share)
      }
    for (const cache of caches) await this.#checkShare(cache)
    await this.#report()
  }

  async #checkShare(cache: ShareCache): Promise<void> {
    const { mountOf, restarts } = this.#options
    const { share } = cache
    const spec = mountOf(share)
    if (spec === undefined) return void this.#stranded.set(share, [])
    const found = await this.#stateOf(cache, spec)
    this.#stranded.set(share, found.stranded)
    if (found.requeue.length > 0) await this.#requeue(spec, found.requeue)
    const isNeeded = async () => (this.#stranded.get(share)?.length ?? 0) > 0
    if (found.needsRestart) restarts.request(share, reason, { isNeeded })
  }

  async #stateOf(cache: ShareCache, spec: MountSpec): Promise<StrandedFiles> {
    const { readBusy, answeringSince, clock } = this.#options
    const prefix = `${cacheFolderOf(spec)}/`
    const dirty = cache.dirty().filter(({ key }) => key.startsWith(prefix))
    const since = answeringSince(spec.remote)
    const stranded = this.#shares.get(spec.share) ?? new StrandedShare()
    this.#shares.set(spec.share, stranded)
    return stranded.next({
      dirty,
      // A mount that does not answer is restored, and then uploads its files.
      busy: dirty.length === 0 ? new Set() : await readBusy(spec).catch(() => new Set(dirty.map(({ key }) => key))),
      uploadsInProgress: cache.stats?.uploadsInProgress ?? 0,
      uploaded: cache.uploaded,
      answeringMs: since === undefined ? undefined : clock.monotonic() - since,
      writeBackMs: spec.writeBackSeconds * 1_000,
      nowMs: clock.now(),
      monotonicMs: clock.monotonic(),
    })
  }

  async #requeue(spec: MountSpec, files: readonly DirtyFile[]): Promise<void> {
    const { requeue, pathOf, log } = this.#options
    const { share } = spec
    const start = cacheFolderOf(spec).length + 1
    try {
      const paths = files.map(({ key }) => key.slice(start))
      await requeue(pathOf(share), paths)
      log.info('queued files for upload again', { share, files: files.length })
    } catch (error) {
      log.warn('could not queue files for upload again', { share, error })
    }
  }

  async #report(): Promise<void> {
    const { pathOf, readNames, onProblems } = this.#options
    const affected = [...this.#stranded].filter(([, files]) => files.length > 0)
    const names = affected.length === 0 ? {} : await readNames()
    onProblems(
      affected.flatMap(([share, files]) => this.#problemOf(share, names[pathOf(share)] ?? pathOf(share), files)),
    )
  }

  #problemOf(share: number, name: string, files: readonly DirtyFile[]): readonly InventoryProblem[] {
    const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
    const oldest = new Date(files[0]?.changedAtMs ?? 0)
    return shareNotUploaded.find({ share: name, files: files.length, bytes, oldest, action: this.#stateText(share) })
  }

  #stateText(share: number): string {
    const { mountOf, answeringSince, restarts } = this.#options
    const spec = mountOf(share)
    if (spec === undefined || answeringSince(spec.remote) === undefined)
      return 'Swift does not answer. They will be uploaded when it answers again.'
    const pending = restarts.pending().find((one) => one.share === share && one.reasons.includes(reason))
    if (pending === undefined) return 'Swift answers. The agent is queueing them again.'
    return `Swift answers, but queueing them again did not help. The agent will restart the mount when no client has an open file there (open now: ${pending.openFiles}).`
  }
}
