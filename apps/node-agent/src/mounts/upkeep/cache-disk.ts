import { fileURLToPath } from 'node:url'
import type { RunCommand } from '../../machine/run-command.js'
import { createStatfsProbe } from '../../machine/statfs-probe.js'

export interface DiskSpace {
  readonly totalBytes: number
  readonly availableBytes: number
}

/** The disk that holds the caches of shares. */
export interface CacheDisk {
  /** Rejects when it cannot be read, or hangs. */
  read(): Promise<DiskSpace>
  close(): void
}

const diskProgram = fileURLToPath(new URL('cache-disk-main.js', import.meta.url))

/** Asks in another process: a disk that hangs must not block the agent. */
export function createCacheDisk(run: RunCommand, directory: string, program = diskProgram): CacheDisk {
  const probe = createStatfsProbe({ run, command: [process.execPath, program], deadlineMs: 10_000 })
  return {
    async read() {
      const result = await probe.probe({ id: 0, mountPoint: directory })
      if (result.state !== 'ok') throw new Error(`The disk of the cache could not be read: ${result.message}.`)
      return { totalBytes: result.figures.total_bytes, availableBytes: result.figures.available_bytes }
    },
    close: () => probe.close(),
  }
}
