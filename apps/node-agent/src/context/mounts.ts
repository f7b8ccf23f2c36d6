import { join } from 'node:path'
import { type Clock, createDiskReader, type Log } from '@roost/runtime'
import type { GatewayConfig } from '../config.js'
import { type Machine, openMachine } from '../machine/machine.js'
import { isUnderSystemd } from '../machine/systemd.js'
import type { RunCommand } from '../machine/run-command.js'
import type { NodeProblems } from '../machine/problems.js'
import type { ShareCounts } from '../mounts/cache/files/share-counts.js'
import { createBusyFiles } from '../mounts/cache/busy-files.js'
import { IncompleteFiles } from '../mounts/cache/incomplete-files.js'
import { createRenameFiles } from '../mounts/cache/files/rename-files.js'
import { noUploads, openUploads } from '../mounts/cache/uploads.js'
import type { Uploads } from '../mounts/cache/uploads.js'
import { createRepairMetadata } from '../mounts/cache/files/metadata-repair.js'
import { CacheSizes } from '../mounts/upkeep/cache-sizes.js'
import { createClientFiles } from '../mounts/started/client-files.js'
import { createDaemons, type Daemons } from '../mounts/rclone/daemons.js'
import { createMissingContainers } from '../mounts/health/missing-containers.js'
import { createStorageClient } from '../mounts/health/storage-client.js'
import { type MountHealth, noHealth, openMountHealth } from '../mounts/health/mount-health.js'
import type { RestoredMounts } from '../mounts/health/restored-mounts.js'
import { createLoginCheck } from '../mounts/health/login-check.js'
import { requireRclone } from '../mounts/rclone/program.js'
import { desiredMounts, mountRecordFile } from '../mounts/desired/mount-record.js'
import { MountStore } from '../mounts/desired/mount-store.js'
import { readOwner } from '../mounts/started/mount-owner.js'
import { createMounter } from '../mounts/started/mounter.js'
import type { Mounts } from '../mounts/desired/mounts.js'
import { createOperatorMounts } from '../mounts/operator-mounts.js'
import { RcloneMounts } from '../mounts/rclone-mounts.js'
import { openRemoteControl } from '../mounts/rclone/remote-control.js'
import { createShareMounts } from '../mounts/started/share-mounts.js'
import type { ShareMounts } from '../mounts/started/share-mounts.js'
import { nameOf } from '../mounts/started/mount-commands.js'

export interface MountsOptions {
  readonly gateway: GatewayConfig
  /** The state directory of the agent. */
  readonly dataDir: string
  readonly machine: Machine
  readonly run: RunCommand
  readonly problems: NodeProblems
  readonly shareCounts: ShareCounts
  /** Names of deployed shares by the paths of their folders. */
  readonly readNames: () => Promise<Readonly<Record<string, string>>>
  readonly restored: RestoredMounts
  readonly clock: Clock
  readonly log: Log
}

export interface OpenedMounts {
  readonly mounts: Mounts
  readonly uploads: Uploads
  readonly health: MountHealth
}

/** Builds what mounts the containers of shares: rclone, or the operator where the configuration says so. */
export async function openMounts(options: MountsOptions): Promise<OpenedMounts> {
  const { gateway, machine, run } = options
  if (gateway.mounts === 'operator')
    return {
      mounts: createOperatorMounts({ machine, run, directory: gateway.mountDirectory }),
      uploads: noUploads,
      health: noHealth,
    }
  return openRcloneMounts(options)
}

async function openRcloneMounts(options: MountsOptions): Promise<OpenedMounts> {
  const { gateway, dataDir, run, problems, readNames, restored, shareCounts: counts, clock, log } = options
  const dir = join(dataDir, 'mounts')
  const own = openMachine()
  const configFile = join(dir, 'rclone.conf')
  const store = await MountStore.read({ configFile, recordFile: mountRecordFile(join(dir, 'mounts.json')) })
  const { cacheDirectory } = gateway
  const cacheSizes = new CacheSizes({ store, disk: createDiskReader(cacheDirectory, { deadlineMs: 10_000 }) })
  const runDir = join(dir, 'run')
  const client = createStorageClient()
  const daemons = createDaemons({ dir: runDir, machine: own, run, clock, systemd: isUnderSystemd(own) })
  const shareMounts = await shareMountsOf(options, { dir, runDir, configFile, daemons, cacheSizes })
  const mounts = new RcloneMounts({
    store,
    shareMounts,
    requireProgram: () => requireRclone(run),
    checkLogin: createLoginCheck(run, dir),
    clientFiles: createClientFiles(own),
    cacheSizes,
    counts,
    incomplete: incompleteFilesOf(options, store, shareMounts, daemons),
    cacheDirectory,
    problems,
    readNames,
    onRestored: (share) => restored.record(share),
    findMissingContainers: createMissingContainers(client),
    clock,
    log,
  })
  const present = { ...options, client, store, shareMounts, cacheDirectory, machine: own }
  const uploads: Uploads = await openUploads({
    ...present,
    counts,
    // The health of what uploads depend on also needs to know whether there are any.
    answeringSince: (remote) => health.storage.answeringSince(remote),
    restarts: mounts.restarts,
    stateDirectory: dir,
  })
  const isDirty = () => uploads.isDirty()
  const health = openMountHealth({ ...present, isDirty })
  return { mounts, uploads, health }
}

interface ShareMountParts {
  readonly dir: string
  readonly runDir: string
  readonly configFile: string
  readonly daemons: Daemons
  readonly cacheSizes: CacheSizes
}

async function shareMountsOf(
  { gateway, machine, run, clock, log }: MountsOptions,
  { dir, runDir, configFile, daemons, cacheSizes }: ShareMountParts,
): Promise<ShareMounts> {
  return createShareMounts({
    mounter: createMounter({
      machine: openMachine(),
      daemons,
      run,
      clock,
      dir: runDir,
      repairMetadata: createRepairMetadata(run),
      log,
    }),
    control: await openRemoteControl(dir),
    directory: gateway.mountDirectory,
    cacheDirectory: gateway.cacheDirectory,
    cacheSizeOf: (spec) => cacheSizes.sizeOf(spec),
    drainDirectory: join(dir, 'drain'),
    configFile,
    owner: () => readOwner(machine, gateway.account),
  })
}

function incompleteFilesOf(
  { gateway: { cacheDirectory }, run, clock, log }: MountsOptions,
  store: MountStore,
  shareMounts: ShareMounts,
  daemons: Daemons,
): IncompleteFiles {
  return new IncompleteFiles({
    mounts: () => desiredMounts(store.record),
    pathOf: (share) => shareMounts.pathOf(share),
    newLines: (share) => daemons.newLines(nameOf(share)),
    readBusy: createBusyFiles({ shareMounts, machine: openMachine(), cacheDirectory }),
    cacheDirectory,
    rename: createRenameFiles(run),
    clock,
    log,
  })
}
