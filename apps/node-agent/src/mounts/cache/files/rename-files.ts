import type { RunCommand } from '../../../machine/run-command.js'
import { describeFailure } from '../../../machine/run-command.js'

export interface FileRename {
  /** Below the mount point. */
  readonly from: string
  readonly to: string
  /** The expected size; a file of another size keeps its name. */
  readonly bytes: number
}

/** Renames files through a mount, unless the new name exists. Rejects when the mount does not answer; other failures show in the cache. */
export type RenameFiles = (mountPoint: string, renames: readonly FileRename[]) => Promise<void>

const renameMs = 30_000

/** Renames in a child process, since a mount may hang. */
export function createRenameFiles(run: RunCommand): RenameFiles {
  return async (mountPoint, renames) => {
    const one = '[ "$(stat -c %s -- "$1")" = "$3" ] && mv -nT -- "$1" "$2"'
    const script = `cd "$0" && exec xargs -0r -n3 sh -c '${one}' sh`
    const input = renames.map(({ from, to, bytes }) => `./${from}\0./${to}\0${bytes}\0`).join('')
    const result = await run('nice', ['-n', '19', 'sh', '-c', script, mountPoint], { deadlineMs: renameMs, input })
    // 123 of xargs: one of them was removed or written meanwhile.
    if (result.outcome !== 'exited' || (result.exitCode !== 0 && result.exitCode !== 123))
      throw new Error(`Could not rename files of ${mountPoint}: ${describeFailure(result)}.`)
  }
}
