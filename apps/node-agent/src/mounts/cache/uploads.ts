import { join } from 'node:path'
import type { LeftoverRemoval, ShareUploadsAnswer } from '@roost/api-types/agent'
import type { Clock, Log } from '@roost/runtime'
import type { Machine } from '../../machine/machine.js'
import type { RunCommand } from '../../machine/run-command.js'
import type { NodeProblems } from '../../machine/problems.js'
import type { ObjectClient } from '../health/storage-client.js'
import { desiredMounts } from '../desired/mount-record.js'
import type { MountStore } from '../desired/mount-store.js'
import type { Restarts } from '../started/restarts.js'
import type { ShareMounts } from '../started/share-mounts.js'
import { createBusyFiles } from './busy-files.js'
import { createCacheScan } from './files/cache-scan.js'
import { CacheWatch } from './cache-watch.js'
import { isCached, pathInContainer } from './files/cached-file.js'
import { startLeftoverChecks } from './leftover-checks.js'
import { Leftovers } from './leftovers.js'
import { RenamedFiles } from './files/renamed-files.js'
import { createRequeue } from './files/requeue.js'
import type { ShareCount, ShareCounts } from './files/share-counts.js'
import { StrandedUploads } from './stranded-uploads.js'

export interface UploadsOptions {
  readonly store: MountStore
  readonly shareMounts: ShareMounts
  readonly cacheDirectory: string
  /** Lists the processes of its kernel. */
  readonly machine: Machine
  readonly run: RunCommand
  readonly client: ObjectClient
  /** Returns since when Swift answers to the login of a mount, on the monotonic clock. */
  readonly answeringSince: (remote: string) => number | undefined
  readonly restarts: Pick<Restarts, 'request' | 'pending'>
  readonly problems: NodeProblems
  /** Reads the names of deployed shares by the paths of their folders. */
  readonly readNames: () => Promise<Readonly<Record<string, string>>>
  readonly counts: ShareCounts
  /** The state directory of the agent's mounts. */
  readonly stateDirectory: string
  readonly clock: Clock
  readonly log: Log
}

/** Reports what clients have written to shares and is not in Swift. */
export interface Uploads {
  /** Answers for one share. Throws when this node has not counted it. */
  answer(share: number): ShareUploadsAnswer
  /** Removes objects that renames left under old names: these, or the oldest. Throws when this node has not counted the share. */
  removeLeftovers(share: number, names: readonly string[] | null): Promise<LeftoverRemoval>
  /** Returns whether anything is not in Swift, as counted within the last seconds. */
  isDirty(): boolean
  close(): Promise<void>
}

const namedFiles = 20

/** Answers where the operator mounts the containers: the agent does not know what is not uploaded. */
export const noUploads: Uploads = {
  answer: () => failUnknown(),
  removeLeftovers: async () => failUnknown(),
  isDirty: () => false,
  close: async () => {},
}

/** Starts to count, and to queue files again that nothing uploads. */
export async function openUploads(options: UploadsOptions): Promise<Uploads> {
  const { store, shareMounts, run, stateDirectory } = options
  const renamed = await RenamedFiles.read(join(stateDirectory, 'renamed-files.json'))
  const mounts = () => [...store.record.draining, ...desiredMounts(store.record)]
  const stranded = watchStranded(options)
  const leftovers = openLeftovers(options, renamed, (share, key) => watch.find(share)?.mayBeDirty(key) ?? true)
  const watch: CacheWatch = new CacheWatch({
    ...options,
    countLeftovers: (share) => leftovers.count(share),
    onAppear(share, file, before) {
      renamed.appeared(share, file, before)
      leftovers.save()
    },
    shares: () => mounts().map(({ share }) => share),
    // The list has a share's mount after those that only upload its former files.
    stats: async (share) => {
      const spec = mounts().findLast((mount) => mount.share === share)
      return spec === undefined ? undefined : shareMounts.cacheStats(spec)
    },
    scan: createCacheScan(run),
    onCounted: (caches) => stranded.check(caches),
  })
  const checks = startLeftoverChecks(leftovers, options)
  const find = (share: number) => {
    const cache = watch.find(share)
    if (cache === undefined || !options.counts.list().some((one) => one.share === share))
      throw new Error(
        `Share ${share} is not mounted on this node, or its files have not been counted yet. Deploy the share, or try again in a minute.`,
      )
    return cache
  }
  return {
    answer(share) {
      const cache = find(share)
      const count = { ...cache.count(cache.stats, options.clock.now()), leftoverFiles: leftovers.count(share) }
      const oldest = cache.dirty().slice(0, namedFiles).map(nameOf)
      return { ...answerOf(count), oldest, leftovers: leftovers.oldest(share) }
    },
    async removeLeftovers(share, names) {
      find(share)
      return leftovers.remove(share, names)
    },
    isDirty: () => watch.isDirty,
    close: async () => void (await Promise.all([checks.stop(), watch.close()])),
  }
}

function watchStranded({ store, shareMounts, problems, ...options }: UploadsOptions): StrandedUploads {
  const { machine, run, cacheDirectory } = options
  return new StrandedUploads({
    ...options,
    mountOf: (share) => store.desired(share),
    pathOf: (share) => shareMounts.pathOf(share),
    readBusy: createBusyFiles({ shareMounts, machine, cacheDirectory }),
    requeue: createRequeue(run),
    onProblems: (found) => problems.set('uploads', found),
  })
}

function openLeftovers(
  { store, cacheDirectory, client, answeringSince, clock, log }: UploadsOptions,
  renamed: RenamedFiles,
  isDirty: (share: number, key: string) => boolean,
): Leftovers {
  return new Leftovers({
    renamed,
    logins: () => store.record.logins,
    client,
    answeringSince,
    isDirty,
    isCached: (share, key) => isCached(join(cacheDirectory, String(share)), key),
    clock,
    log,
  })
}

function failUnknown(): never {
  throw new Error(
    'The operator of this node mounts the containers, so that the agent cannot know which files are not uploaded.',
  )
}

function answerOf(count: ShareCount): Omit<ShareUploadsAnswer, 'oldest' | 'leftovers'> {
  return {
    dirty_files: count.dirtyFiles,
    dirty_bytes: count.dirtyBytes,
    oldest_dirty_seconds: count.oldestDirtySeconds,
    cache_bytes: known(count.cacheBytes),
    uploads_queued: known(count.uploadsQueued),
    upload_errors: known(count.uploadErrors),
    out_of_space: Number.isNaN(count.outOfSpace) ? null : count.outOfSpace === 1,
    leftover_files: count.leftoverFiles,
  }
}

function nameOf({ key, bytes, changedAtMs }: { key: string; bytes: number; changedAtMs: number }) {
  return { path: pathInContainer(key), bytes, changed: changedAtMs / 1_000 }
}

function known(value: number): number | null {
  return Number.isNaN(value) ? null : value
}
