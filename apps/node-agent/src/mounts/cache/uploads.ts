import { join } from 'node:path'
import type { ShareUploadsAnswer } from '@roost/api-types/agent'
import type { Clock } from '../../clock.js'
import type { Machine } from '../../host/machine.js'
import type { RunCommand } from '../../host/run-command.js'
import type { Log } from '../../log.js'
import type { NodeProblems } from '../../problems.js'
import { desiredMounts } from '../mount-record.js'
import type { MountStore } from '../mount-store.js'
import type { Restarts } from '../restarts.js'
import type { ShareMounts } from '../share-mounts.js'
import { readBusyFiles } from './busy-files.js'
import { createCacheScan } from './cache-scan.js'
import { CacheWatch } from './cache-watch.js'
import { pathInContainer } from './cached-file.js'
import { createRequeue } from './requeue.js'
import type { ShareCount, ShareCounts } from './share-counts.js'
import { StrandedUploads } from './stranded-uploads.js'

export interface UploadsOptions {
  readonly store: MountStore
  readonly shareMounts: ShareMounts
  readonly cacheDirectory: string
  /** Whose kernel shows the processes. */
  readonly machine: Machine
  readonly run: RunCommand
  /** Since when Swift answers to the login of a mount, on the monotonic clock. */
  readonly answeringSince: (remote: string) => number | undefined
  readonly restarts: Restarts
  readonly problems: NodeProblems
  /** Names of deployed shares by the paths of their folders. */
  readonly readNames: () => Promise<Readonly<Record<string, string>>>
  readonly counts: ShareCounts
  readonly clock: Clock
  readonly log: Log
}

/** What clients have written to shares and is not in Swift. */
export interface Uploads {
  /** Throws when this node has not counted the share. */
  answer(share: number): ShareUploadsAnswer
  /** Whether anything is not in Swift, as seen within the last seconds. */
  isDirty(): boolean
  close(): Promise<void>
}

const namedFiles = 20

/** The operator mounts the containers, so that the agent does not know what is not uploaded. */
export const noUploads: Uploads = {
  answer() {
    throw new Error('The operator of this node mounts the containers; the agent does not know what is not uploaded.')
  },
  isDirty: () => false,
  close: async () => {},
}

/** Begins to count, and to queue again what nothing uploads. */
export function openUploads(options: UploadsOptions): Uploads {
  const { store, shareMounts, run } = options
  const mounts = () => [...store.record.draining, ...desiredMounts(store.record)]
  const stranded = watchStranded(options)
  const watch = new CacheWatch({
    ...options,
    shares: () => mounts().map(({ share }) => share),
    // A share's mount comes after those that only upload what it left elsewhere.
    stats: async (share) => {
      const spec = mounts().findLast((mount) => mount.share === share)
      return spec === undefined ? undefined : shareMounts.cacheStats(spec)
    },
    scan: createCacheScan(run),
    onCounted: (caches) => stranded.check(caches),
  })
  return {
    answer(share) {
      const cache = watch.find(share)
      if (cache === undefined || !options.counts.list().some((one) => one.share === share))
        throw new Error(`Share ${share} is not mounted on this node, or was not counted yet. Deploy it first.`)
      const count = cache.count(cache.stats, options.clock.now())
      return { ...answerOf(count), oldest: cache.dirty().slice(0, namedFiles).map(nameOf) }
    },
    isDirty: () => watch.isDirty,
    close: () => watch.close(),
  }
}

function watchStranded({ store, shareMounts, problems, ...options }: UploadsOptions): StrandedUploads {
  const { machine, run, cacheDirectory } = options
  return new StrandedUploads({
    ...options,
    mountOf: (share) => store.desired(share),
    pathOf: (share) => shareMounts.pathOf(share),
    async readBusy({ share }) {
      const pid = await shareMounts.pidOf(share)
      if (pid === undefined) throw new Error(`The mount of share ${share} does not run.`)
      return readBusyFiles(machine, pid, join(cacheDirectory, String(share)))
    },
    requeue: createRequeue(run),
    onProblems: (found) => problems.set('uploads', found),
  })
}

function answerOf(count: ShareCount): Omit<ShareUploadsAnswer, 'oldest'> {
  return {
    dirty_files: count.dirtyFiles,
    dirty_bytes: count.dirtyBytes,
    oldest_dirty_seconds: count.oldestDirtySeconds,
    cache_bytes: known(count.cacheBytes),
    uploads_queued: known(count.uploadsQueued),
    upload_errors: known(count.uploadErrors),
    out_of_space: Number.isNaN(count.outOfSpace) ? null : count.outOfSpace === 1,
  }
}

function nameOf({ key, bytes, changedAtMs }: { key: string; bytes: number; changedAtMs: number }) {
  return { path: pathInContainer(key), bytes, changed: changedAtMs / 1_000 }
}

function known(value: number): number | null {
  return Number.isNaN(value) ? null : value
}
