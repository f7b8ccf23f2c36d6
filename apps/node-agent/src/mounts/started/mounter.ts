import { chmod, mkdir, rm, rmdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Clock, Log } from '@roost/runtime'
import type { Machine } from '../../machine/machine.js'
import { readManagedFile, writeManagedFile } from '../../machine/managed-file.js'
import { mountAt, readMounts } from '../../machine/mounts.js'
import { describeFailure } from '../../machine/run-command.js'
import type { RunCommand } from '../../machine/run-command.js'
import type { MountCache, RepairMetadata } from '../cache/files/metadata-repair.js'
import type { Daemons } from '../rclone/daemons.js'
import { lastLine, portOf } from '../rclone/log.js'
import { isSameStart, parseStartedWith } from './started-with.js'
import type { StartedWith } from './started-with.js'

export interface MounterOptions {
  readonly machine: Machine
  readonly daemons: Daemons
  readonly run: RunCommand
  readonly clock: Clock
  /** The directory of the records of started mounts; absolute. */
  readonly dir: string
  readonly repairMetadata: RepairMetadata
  readonly log: Log
}

/** Says how a mount is started. */
export interface MountCommand {
  /** Name of the daemon. */
  readonly name: string
  readonly path: string
  readonly argv: readonly string[]
  readonly startedWith: StartedWith
  readonly cache: MountCache
  /** True for a mount that clients use: while it is down, not even root can write to the gateway's own disk below its path. */
  readonly forClients: boolean
}

/** Starts and ends single mounts. */
export interface Mounter {
  /** Returns the arguments of the running mount; undefined when it is not up. */
  runsWith(mount: Pick<MountCommand, 'name' | 'path'>): Promise<StartedWith | undefined>
  /** Starts a mount unless it runs with the same arguments; resolves once the path shows it. Rejects with the output of rclone. */
  up(command: MountCommand): Promise<void>
  /** Ends a mount, or removes what is left of a broken one. */
  down(name: string, path: string): Promise<void>
  /** Kills the program of a mount that hangs: calls that wait for it fail, and `down` no longer waits. */
  kill(name: string): Promise<void>
  /** Truncates a long log of a running mount. */
  trimLog(name: string): Promise<void>
  /** Returns the port of its remote control; undefined when it does not run. */
  port(name: string): number | undefined
}

const mountMs = 30_000
const unmountMs = 10_000
const pollEveryMs = 100
const mountedType = 'fuse.rclone'

export function createMounter(options: MounterOptions): Mounter {
  const { machine, daemons, run, clock, dir } = options
  const recordOf = (name: string) => join(dir, `${name}.with`)
  const isMounted = (path: string) => mountAt(path, readMounts(machine))?.fsType === mountedType

  async function up({ name, path, argv, startedWith, forClients, cache }: MountCommand): Promise<void> {
    const present = await runsWith({ name, path })
    if (present !== undefined && isSameStart(present, startedWith)) return
    await down(name, path)
    await makeMountPoint(run, path, forClients)
    await mkdir(dir, { recursive: true, mode: 0o700 })
    await writeManagedFile(recordOf(name), JSON.stringify(startedWith))
    await repair(options, cache)
    await daemons.start(name, argv)
    const until = clock.monotonic() + mountMs
    while (!isMounted(path)) {
      await new Promise<void>((resolve) => clock.after(pollEveryMs, resolve))
      const output = lastLine(daemons.log(name))
      if (daemons.isRunning(name) && clock.monotonic() < until) continue
      if (isMounted(path)) break
      await down(name, path)
      throw new Error(`Could not mount ${path}: ${output || 'rclone gave no reason'}.`)
    }
  }

  async function runsWith({ name, path }: Parameters<Mounter['runsWith']>[0]): Promise<StartedWith | undefined> {
    if (!daemons.isRunning(name) || !isMounted(path)) return undefined
    return parseStartedWith((await readManagedFile(recordOf(name)))?.toString() ?? '')
  }

  async function down(name: string, path: string): Promise<void> {
    if (isMounted(path)) await unmount(path)
    await daemons.end(name)
    await rm(recordOf(name), { force: true })
    if (!isMounted(path)) await removeMountPoint(run, path)
  }

  async function unmount(path: string): Promise<void> {
    const options = { deadlineMs: unmountMs }
    const orderly = await run('umount', [path], options)
    if (orderly.exitCode === 0) return
    // A program still has a file open there, or rclone no longer answers.
    const lazy = await run('umount', ['-l', path], options)
    if (lazy.exitCode !== 0) throw new Error(`Could not unmount ${path}: ${describeFailure(lazy)}.`)
  }

  return {
    runsWith,
    up,
    down,
    kill: (name) => daemons.kill(name),
    trimLog: (name) => daemons.trimLog(name),
    port: (name) => (daemons.isRunning(name) ? portOf(daemons.log(name)) : undefined),
  }
}

async function repair({ repairMetadata, log }: MounterOptions, cache: MountCache): Promise<void> {
  const { complete, incomplete } = await repairMetadata(cache)
  const { container } = cache
  for (const [files, message] of [
    [complete, 'uploading files whose metadata rclone lost'],
    [incomplete, 'uploading the remaining parts of files whose metadata rclone lost, under new names'],
  ] as const)
    if (files.length > 0) log.warn(message, { container, number: files.length, files: files.slice(0, 20) })
}

async function makeMountPoint(run: RunCommand, path: string, isImmutable: boolean): Promise<void> {
  const first = await mkdir(path, { recursive: true })
  if (first === undefined) return
  await chmod(path, 0o555)
  for (let folder = dirname(path); folder.length >= first.length; folder = dirname(folder)) await chmod(folder, 0o755)
  if (isImmutable) await run('chattr', ['+i', path], { deadlineMs: unmountMs })
}

async function removeMountPoint(run: RunCommand, path: string): Promise<void> {
  await run('chattr', ['-i', path], { deadlineMs: unmountMs })
  await rmdir(path).catch(() => {})
}
