import { posix } from 'node:path'
import type { Machine } from '../machine/machine.js'
import type { Mount } from '../machine/mounts.js'
import type { RunCommand } from '../machine/run-command.js'
import { unlessDenied } from '../machine/try-read.js'

/** Errors that an ext4 filesystem has on record; they stay there until it is checked. */
export interface RecordedErrors {
  readonly count: number
  /** True if the last error came after the mount; earlier ones were there before. */
  readonly isNow: boolean
}

export interface FilesystemErrors {
  /** Reads the errors of a mount; undefined where the filesystem keeps no record. `stamp` distinguishes this mount from a later one. Never rejects. */
  of(mount: Mount, stamp: string): Promise<RecordedErrors | undefined>
  /** Forgets the mounts that are gone. */
  keepOnly(stamps: ReadonlySet<string>): void
}

/** Where ext4's superblock says when it was mounted last, in Unix seconds. */
const mountTimeAt = 1_024 + 0x2c
const deadlineMs = 3_000

/**
 * Reads the kernel's own record of errors, which is in memory and costs nothing. Only where there are some, the superblock is asked once
 * when it was mounted; where that cannot be read, the machine's start stands for it.
 */
export function createFilesystemErrors(kernel: Machine, run: RunCommand): FilesystemErrors {
  const mountTimes = new Map<string, number>()

  async function mountTime(name: string, stamp: string): Promise<number> {
    const known = mountTimes.get(stamp)
    if (known !== undefined) return known
    const device = kernel.path(`/dev/${name.replaceAll('!', '/')}`)
    const args = ['-An', '--endian=little', '-tu4', `-j${mountTimeAt}`, '-N4', device]
    const { outcome, stdout } = await run('od', args, { deadlineMs })
    const time = outcome === 'exited' && /^\s*[1-9]\d*\s*$/.test(stdout) ? Number(stdout) : bootTime(kernel)
    mountTimes.set(stamp, time)
    return time
  }

  return {
    async of({ fsType, device }, stamp) {
      const name = fsType === 'ext4' ? nameOf(kernel, device) : undefined
      if (name === undefined) return undefined
      const count = numberIn(kernel, `/sys/fs/ext4/${name}/errors_count`)
      if (count === undefined || count === 0) return count === 0 ? { count, isNow: false } : undefined
      const lastError = numberIn(kernel, `/sys/fs/ext4/${name}/last_error_time`) ?? Infinity
      return { count, isNow: lastError >= (await mountTime(name, stamp)) }
    },
    keepOnly(stamps) {
      for (const stamp of mountTimes.keys()) if (!stamps.has(stamp)) mountTimes.delete(stamp)
    },
  }
}

function nameOf(kernel: Machine, device: string): string | undefined {
  const target = unlessDenied(() => kernel.link(`/sys/dev/block/${device}`))
  return target === undefined ? undefined : posix.basename(target)
}

function bootTime(kernel: Machine): number {
  return Number(/^btime (\d+)$/m.exec(unlessDenied(() => kernel.read('/proc/stat')) ?? '')?.[1] ?? 0)
}

function numberIn(kernel: Machine, path: string): number | undefined {
  const text = unlessDenied(() => kernel.read(path))?.trim()
  return text !== undefined && /^\d+$/.test(text) ? Number(text) : undefined
}
