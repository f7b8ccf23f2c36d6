import type { Clock, Log } from '@roost/runtime'
import { startHelper } from '../../machine/helper.js'
import type { Machine } from '../../machine/machine.js'
import { readMounts } from '../../machine/mounts.js'
import type { RunCommand } from '../../machine/run-command.js'
import type { NodeProblems } from '../../machine/problems.js'
import { desiredMounts } from '../desired/mount-record.js'
import type { MountStore } from '../desired/mount-store.js'
import type { ShareMounts } from '../started/share-mounts.js'
import { startCacheSync } from './cache-sync.js'
import { startFolderRefresh } from './folder-refresh.js'
import { watchHungMounts } from './hung-mounts.js'
import type { WatchedMount } from './hung-mounts.js'
import { createMountProbe } from './mount-probe.js'
import type { RestoredMounts } from './restored-mounts.js'
import { createStorageCheck } from './storage-check.js'
import type { StorageClient } from './storage-client.js'
import { type StorageHealth, startStorageHealth } from './storage-health.js'

export interface MountHealthOptions {
  readonly store: MountStore
  readonly shareMounts: ShareMounts
  /** Lists the mounts of its kernel. */
  readonly machine: Machine
  readonly run: RunCommand
  readonly client: StorageClient
  readonly problems: NodeProblems
  readonly restored: RestoredMounts
  readonly cacheDirectory: string
  /** Returns whether something in the caches is not in Swift. */
  readonly isDirty: () => boolean
  readonly clock: Clock
  readonly log: Log
}

export interface MountHealth {
  readonly storage: Pick<StorageHealth, 'answeringSince'>
  close(): Promise<void>
}

/** Checks nothing: the operator mounts the containers. */
export const noHealth: MountHealth = { storage: { answeringSince: () => undefined }, close: async () => {} }

/** Starts to check mounts, and the storage and disk that they need. */
export function openMountHealth(options: MountHealthOptions): MountHealth {
  const { store, shareMounts, run, client, problems, restored, clock, log } = options
  const storage = startStorageHealth({
    check: createStorageCheck(client),
    logins: () => store.record.logins,
    onProblems: (found) => problems.set('storage', found),
    onError: (error) => log.error('could not check Swift', { error }),
    clock,
  })
  const hung = watchHungMounts({
    mounts: () => presentMounts(options),
    probe: createMountProbe(run),
    isAnswering: (share) => shareMounts.isAnswering(share),
    kill: (share) => shareMounts.kill(share),
    onHung: (share) => restored.explain(share, 'The mount did not answer.'),
    clock,
    log,
  })
  const refresh = startFolderRefresh({
    mounts: () => desiredMounts(store.record),
    logins: () => store.record.logins,
    client,
    refresh: (share) => shareMounts.refresh(share),
    forget: (share) => shareMounts.forget(share),
    clock,
    log,
  })
  const sync = startCacheSync({ ...options, start: startHelper })
  return {
    storage,
    async close() {
      await Promise.all([hung.stop(), sync.stop(), refresh.stop(), storage.stop()])
    },
  }
}

/** Lists mounts by their ids in the kernel: a later mount at the same path has another. */
function presentMounts({ store, shareMounts, machine }: MountHealthOptions): readonly WatchedMount[] {
  const desired = desiredMounts(store.record)
  if (desired.length === 0) return []
  const byPath = new Map(readMounts(machine).map(({ id, mountPoint, kind }) => [mountPoint, { id, kind }]))
  return desired.flatMap(({ share }) => {
    const mountPoint = shareMounts.pathOf(share)
    const mount = byPath.get(mountPoint)
    return mount?.kind === 'fuse' ? [{ share, id: mount.id, mountPoint }] : []
  })
}
