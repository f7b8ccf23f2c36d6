import { posix } from 'node:path'
import type { FilesystemSpace } from '@roost/api-types/agent'
import { concurrencyLimit } from '@roost/runtime'
import { assetPath } from '../machine/package.js'
import { keepHelper, type KeptHelper, type StartHelper } from '../machine/helper.js'
import { kernelOf, type Machine } from '../machine/machine.js'
import type { Mount } from '../machine/mounts.js'
import type { RunCommand } from '../machine/run-command.js'
import { createStatfsProbe, type ProbeResult } from '../machine/statfs-probe.js'
import { unlessDenied } from '../machine/try-read.js'

export interface DeviceProbe {
  /** Reads from the mount and asks for its usage; a result may be as old as the period. Never rejects. */
  probe(mount: Mount, maxAgeMs?: number): Promise<ProbeResult>
  /** Checks all of them at once, and returns those that were well when probed and cannot be opened now. */
  quickCheck(mounts: readonly Mount[]): Promise<ReadonlySet<Mount>>
  /** Forgets the mounts that are gone. */
  keepOnly(mounts: readonly Mount[]): void
  close(): void
}

export interface DeviceProbeOptions {
  readonly machine: Machine
  readonly run: RunCommand
  readonly start: StartHelper
  /** A clock that never jumps, in milliseconds. */
  readonly monotonic: () => number
  readonly deadlineMs?: number
  /** Stands for the check in tests, which cannot make a disk hang. */
  readonly command?: readonly [string, ...string[]]
}

/** A question costs 7 ms of CPU: with 7 s a device, and a minute at least, all of them together stay below 0.1 % of a core. */
const periodMs = (devices: number): number => Math.max(devices * 7_000, 60_000)
const atOnce = 8
const quickCheckMs = 3_000

/** Opens all of them, and says which cannot be opened. */
const quickCheck = [
  'sh',
  '-c',
  'while read -r _; do ls -f -- "$@" 2>&1 >/dev/null; echo .; done',
  'roost-check',
] as const

/** Returns the block device below a mount, and a random block of it. */
function blockOf(machine: Machine, { device }: Mount): readonly string[] {
  const kernel = kernelOf(machine)
  const target = unlessDenied(() => kernel.link(`/sys/dev/block/${device}`))
  if (target === undefined) return []
  const block = Math.floor(Math.random() * Math.floor(kibibytesOf(kernel, device) / 4))
  return [kernel.path(`/dev/${posix.basename(target).replaceAll('!', '/')}`), String(block)]
}

/** Reads the size of a device from the table of the kernel, which no driver answers; its lines are `major minor #blocks name`. */
function kibibytesOf(kernel: Machine, device: string): number {
  const lines = (unlessDenied(() => kernel.read('/proc/partitions')) ?? '').split('\n')
  const fields = lines.map((line) => line.trim().split(/\s+/)).find(([major, minor]) => `${major}:${minor}` === device)
  return Number(fields?.[2] ?? 0)
}

export function createDeviceProbe(options: DeviceProbeOptions): DeviceProbe {
  const { machine, run, start, monotonic } = options
  const quickChecks = keepHelper(start, quickCheck)
  const statfs = createStatfsProbe({
    run,
    path: (path) => machine.path(path),
    command: options.command ?? ['sh', assetPath('probe-device.sh')],
    more: (mount) => (options.command === undefined ? blockOf(machine, mount as Mount) : []),
    ...(options.deadlineMs === undefined ? {} : { deadlineMs: options.deadlineMs }),
  })
  const last = new Map<number, { readonly askedAt: number; readonly result: ProbeResult }>()
  const limited = concurrencyLimit(atOnce)
  let devices = 0

  return {
    async probe(mount, maxAgeMs = periodMs(devices)) {
      const known = last.get(mount.id)
      // One that was not well is asked each time: it may have been healed.
      const isFresh = known?.result.state === 'ok' && monotonic() - known.askedAt < maxAgeMs
      if (isFresh) return known.result
      const askedAt = monotonic()
      const result = await limited(() => statfs.probe(mount))
      last.set(mount.id, { askedAt, result })
      return result
    },
    async quickCheck(mounts) {
      const well = mounts.filter(({ id }) => last.get(id)?.result.state === 'ok')
      return unopenable(machine, quickChecks, well)
    },
    keepOnly(mounts) {
      devices = mounts.length
      const ids = new Set(mounts.map((mount) => mount.id))
      for (const id of last.keys()) if (!ids.has(id)) last.delete(id)
      statfs.keepOnly(mounts)
    },
    close() {
      statfs.close()
      quickChecks.close()
    },
  }
}

/** Opens all of them by one process, and answers which cannot be opened. */
async function unopenable(
  machine: Machine,
  quickChecks: KeptHelper,
  mounts: readonly Mount[],
): Promise<ReadonlySet<Mount>> {
  if (mounts.length === 0) return new Set()
  const paths = mounts.map(({ mountPoint }) => machine.path(mountPoint))
  const { outcome, stdout } = await quickChecks.ask(paths, quickCheckMs)
  if (outcome === 'answered' && stdout === '') return new Set()
  const named = mounts.filter((_, i) => stdout.includes(`'${paths[i]}'`))
  // The answer does not name one that hangs: each is asked by itself.
  return new Set(outcome === 'answered' && named.length > 0 ? named : mounts)
}

/** Returns the usage without the numbers of inodes, which the API does not have for devices. */
export function spaceOf(result: ProbeResult): FilesystemSpace | null {
  if (result.state !== 'ok') return null
  const { total_bytes, free_bytes, available_bytes } = result.values
  return { total_bytes, free_bytes, available_bytes }
}
