import type { FilesystemFigures } from '@roost/api-types/agent'
import type { Machine } from '../host/machine.js'
import type { Mount } from '../host/mounts.js'
import type { RunCommand } from '../host/run-command.js'
import { createStatfsProbe, type ProbeResult } from '../host/statfs-probe.js'

export interface DeviceProbe {
  /** Lists the mount's top folder and asks for its figures; a result may be as old as the period. Never rejects. */
  probe(mount: Mount, maxAgeMs?: number): Promise<ProbeResult>
  /** Forgets the mounts that are gone. */
  keepOnly(mounts: readonly Mount[]): void
  close(): void
}

export interface DeviceProbeOptions {
  readonly machine: Machine
  readonly run: RunCommand
  /** A clock that never jumps, in milliseconds. */
  readonly monotonic: () => number
  readonly deadlineMs?: number
  /** Stands for the check in tests, which cannot make a disk hang. */
  readonly command?: readonly [string, ...string[]]
}

/** A question costs 5 ms of CPU: with 5 s a device, and a minute at least, all of them together stay below 0.1 % of a core. */
const periodMs = (devices: number): number => Math.max(devices * 5_000, 60_000)
const atOnce = 8

/**
 * statfs alone is no sign of health: a filesystem that was shut down still answers it with old figures, while reading its top folder
 * fails. A folder that is closed to the agent's user says nothing against the disk.
 */
const script = `
if ! said=$(ls -f -- "$1" 2>&1 >/dev/null); then
  case $said in *"Permission denied"*) ;; *) echo "$said" >&2; exit 1;; esac
fi
exec stat -f -c '%S %b %f %a %c %d' -- "$1"`

export function createDeviceProbe(options: DeviceProbeOptions): DeviceProbe {
  const { machine, run, monotonic } = options
  const statfs = createStatfsProbe({
    run,
    path: (path) => machine.path(path),
    command: options.command ?? ['sh', '-c', script, 'roost-probe'],
    ...(options.deadlineMs === undefined ? {} : { deadlineMs: options.deadlineMs }),
  })
  const last = new Map<number, { readonly askedAt: number; readonly result: ProbeResult }>()
  const waiting: (() => void)[] = []
  let free = atOnce
  let devices = 0

  async function inTurn(ask: () => Promise<ProbeResult>): Promise<ProbeResult> {
    if (free > 0) free--
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await ask()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else free++
    }
  }

  return {
    async probe(mount, maxAgeMs = periodMs(devices)) {
      const known = last.get(mount.id)
      if (known && monotonic() - known.askedAt < maxAgeMs) return known.result
      const askedAt = monotonic()
      const result = await inTurn(() => statfs.probe(mount))
      last.set(mount.id, { askedAt, result })
      return result
    },
    keepOnly(mounts) {
      devices = mounts.length
      const ids = new Set(mounts.map((mount) => mount.id))
      for (const id of last.keys()) if (!ids.has(id)) last.delete(id)
      statfs.keepOnly(mounts)
    },
    close: () => statfs.close(),
  }
}

/** Without the numbers of inodes, which no device's record has. */
export function figuresOf(result: ProbeResult): FilesystemFigures | null {
  if (result.state !== 'ok') return null
  const { total_bytes, free_bytes, available_bytes } = result.figures
  return { total_bytes, free_bytes, available_bytes }
}
