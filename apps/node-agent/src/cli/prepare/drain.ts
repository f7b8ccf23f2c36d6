import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createLog, systemClock } from '@roost/runtime'
import type { AgentConfig } from '../../config.js'
import { openMounts } from '../../context/mounts.js'
import { openMachine } from '../../machine/machine.js'
import { readMounts } from '../../machine/mounts.js'
import { createNodeProblems } from '../../machine/problems.js'
import { describeFailure, runCommand } from '../../machine/run-command.js'
import { lockStateDirectory } from '../../machine/state-lock.js'
import { createCacheScan } from '../../mounts/cache/files/cache-scan.js'
import { readCachedFile } from '../../mounts/cache/files/cached-file.js'
import { createShareCounts } from '../../mounts/cache/files/share-counts.js'
import { createRestoredMounts } from '../../mounts/health/restored-mounts.js'
import { CommandError } from '../command/command-error.js'
import type { LeaveFlags } from '../command/flags.js'
import { say } from './preparation.js'

/** What shares leave on a machine: mounts, and files in their caches that are not in Swift. */
export interface Remaining {
  readonly mounts: readonly string[]
  readonly files: number
  readonly bytes: number
}

type GatewayParts = Pick<AgentConfig, 'gateway' | 'dataDir'>

const checkMs = 1_000
const reportMs = 10_000
const waitSeconds = 300

/** Reads what the shares of this machine leave. Mounts of an operator are not ours. */
export async function readRemaining({ gateway, dataDir }: GatewayParts): Promise<Remaining> {
  if (gateway.mounts === 'operator') return { mounts: [], files: 0, bytes: 0 }
  const folders = [gateway.mountDirectory, drainFolder(dataDir)].map((folder) => `${folder}/`)
  const mounts = readMounts(openMachine())
    .filter(({ fsType, mountPoint }) => fsType === 'fuse.rclone' && folders.some((one) => mountPoint.startsWith(one)))
    .map(({ mountPoint }) => mountPoint)
  const scan = createCacheScan(runCommand)
  const names = await readdir(gateway.cacheDirectory).catch(() => [])
  let [files, bytes] = [0, 0]
  for (const name of names.filter((one) => /^\d{1,10}$/.test(one))) {
    const cache = join(gateway.cacheDirectory, name)
    for (const key of await scan.dirty(cache)) {
      const file = await readCachedFile(cache, key)
      if (typeof file === 'string') continue
      files += 1
      bytes += file.bytes
    }
  }
  return { mounts, files, bytes }
}

/** What mounts only to upload are below. */
function drainFolder(dataDir: string): string {
  return join(dataDir, 'mounts', 'drain')
}

export function isDrained({ mounts, files }: Remaining): boolean {
  return mounts.length === 0 && files === 0
}

export function describeFiles({ files, bytes }: Remaining): string {
  return `${files} files (${bytes} bytes)`
}

/** Locks the state that a running agent works on; returns what releases it. */
export async function lockState({ dataDir }: GatewayParts): Promise<() => void> {
  try {
    return await lockStateDirectory(dataDir)
  } catch (error) {
    throw new CommandError((error as Error).message)
  }
}

/**
 * Ends the mounts of all shares once everything in their caches is in Swift, while no agent runs and no server serves them. Throws
 * after a time in which nothing was uploaded; with `force` the rest stays in the cache.
 */
export async function drainShares(
  config: GatewayParts,
  { force = false, wait = waitSeconds }: LeaveFlags,
): Promise<void> {
  const opened = await openMounts({
    ...config,
    machine: openMachine(),
    run: runCommand,
    problems: createNodeProblems(),
    shareCounts: createShareCounts(),
    readNames: async () => ({}),
    restored: createRestoredMounts(systemClock),
    clock: systemClock,
    log: createLog({ format: 'pretty', level: 'error', write: (line) => process.stderr.write(line) }),
  })
  try {
    await opened.mounts.start({ kind: 'gateway', storage: null, shares: [] })
    await opened.mounts.settle()
    await opened.mounts.open()
    const left = await untilUploaded(config, force ? 0 : wait)
    if (left.files > 0 && !force) throw notUploaded(config, left, wait)
    if (left.files > 0)
      say(
        `${describeFiles(left)} stay in ${config.gateway.cacheDirectory}. They are not in Swift, and nothing uploads them.`,
      )
  } finally {
    await Promise.all([opened.uploads.close(), opened.health.close()])
    await opened.mounts.close()
  }
  if (force) for (const path of (await readRemaining(config)).mounts) await unmount(path)
}

function notUploaded({ gateway }: GatewayParts, left: Remaining, wait: number): CommandError {
  return new CommandError(
    `${describeFiles(left)} that clients wrote are not in Swift, and none was uploaded for ${wait} s.`,
    {
      remedy: `Check whether Swift accepts uploads, then run this command again: what is in ${gateway.cacheDirectory} goes on uploading. With --force it stays in that folder, and nothing uploads it.`,
    },
  )
}

/** Waits until nothing is left, or nothing was uploaded for a time. Returns what is left. */
async function untilUploaded(config: GatewayParts, wait: number): Promise<Remaining> {
  let left = await readRemaining(config)
  let [changedAt, reportedAt] = [performance.now(), performance.now()]
  while (!isDrained(left) && performance.now() - changedAt < wait * 1_000) {
    await sleep(checkMs)
    const next = await readRemaining(config)
    const now = performance.now()
    if (next.files !== left.files || next.bytes !== left.bytes) changedAt = now
    if (next.files > 0 && now - reportedAt >= reportMs) {
      say(`${describeFiles(next)} wait to be uploaded.`)
      reportedAt = now
    }
    left = next
  }
  return left
}

async function unmount(path: string): Promise<void> {
  const result = await runCommand('umount', ['-l', path], { deadlineMs: 10_000 })
  if (result.exitCode !== 0) throw new CommandError(`Could not unmount ${path}: ${describeFailure(result)}.`)
}
