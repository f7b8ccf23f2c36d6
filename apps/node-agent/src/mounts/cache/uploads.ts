import type { ShareUploadsAnswer } from '@roost/api-types/agent'
import type { Clock } from '../../clock.js'
import type { RunCommand } from '../../host/run-command.js'
import type { Log } from '../../log.js'
import { desiredMounts } from '../mount-record.js'
import type { MountStore } from '../mount-store.js'
import type { ShareMounts } from '../share-mounts.js'
import { createCacheScan } from './cache-scan.js'
import { CacheWatch } from './cache-watch.js'
import { pathInContainer } from './cached-file.js'
import type { ShareCount, ShareCounts } from './share-counts.js'

export interface UploadsOptions {
  readonly store: MountStore
  readonly shareMounts: ShareMounts
  readonly cacheDirectory: string
  readonly run: RunCommand
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

/** Begins to count. */
export function openUploads({ store, shareMounts, run, ...options }: UploadsOptions): Uploads {
  const mounts = () => [...store.record.draining, ...desiredMounts(store.record)]
  const watch = new CacheWatch({
    ...options,
    shares: () => mounts().map(({ share }) => share),
    // A share's mount comes after those that only upload what it left elsewhere.
    stats: async (share) => {
      const spec = mounts().findLast((mount) => mount.share === share)
      return spec === undefined ? undefined : shareMounts.cacheStats(spec)
    },
    scan: createCacheScan(run),
  })
  return {
    answer(share) {
      const count = options.counts.list().find((one) => one.share === share)
      const cache = watch.find(share)
      if (count === undefined || cache === undefined)
        throw new Error(`Share ${share} is not mounted on this node, or was not counted yet. Deploy it first.`)
      return { ...answerOf(count), oldest: cache.dirty().slice(0, namedFiles).map(nameOf) }
    },
    isDirty: () => watch.isDirty,
    close: () => watch.close(),
  }
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
