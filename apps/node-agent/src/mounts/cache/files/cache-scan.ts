import type { RunCommand } from '../../../machine/run-command.js'
import { describeFailure } from '../../../machine/run-command.js'
import { metaFolder } from './cached-file.js'

/** Reads the metadata of complete caches. Rejects when a scan fails or takes longer than 5 minutes. */
export interface CacheScan {
  /** Lists the folders of the metadata, the top one included. */
  folders(cache: string): Promise<readonly string[]>
  /** Lists the keys of the files whose metadata are dirty. */
  dirty(cache: string): Promise<readonly string[]>
}

const scanMs = 300_000
const maxOutputBytes = 64 << 20

/** 100,000 small files are read in a child of low priority: in this process they would block everything else. */
export function createCacheScan(run: RunCommand): CacheScan {
  const list = async (meta: string, command: readonly string[]) => {
    const result = await run('nice', ['-n', '19', ...command], { deadlineMs: scanMs, maxOutputBytes })
    // 2 of grep: a file that was listed was removed before it was read.
    if (result.outcome !== 'exited' || result.exitCode === null || result.exitCode > 2)
      throw new Error(`Could not read ${meta}: ${describeFailure(result)}.`)
    return result.stdout.split('\0').slice(0, -1)
  }
  return {
    folders(cache) {
      const meta = metaFolder(cache)
      return list(meta, ['find', meta, '-type', 'd', '-print0'])
    },
    async dirty(cache) {
      const meta = metaFolder(cache)
      const files = await list(meta, ['grep', '-rslZ', '"Dirty": *true', meta])
      return files.map((file) => file.slice(meta.length + 1))
    },
  }
}
