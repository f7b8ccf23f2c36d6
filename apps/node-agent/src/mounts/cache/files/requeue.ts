import type { RunCommand } from '../../../machine/run-command.js'
import { describeFailure } from '../../../machine/run-command.js'

/** Queues files for upload again, named by their paths below the mount point. Rejects when the mount does not answer. */
export type Requeue = (mountPoint: string, paths: readonly string[]) => Promise<void>

const requeueMs = 30_000
const filesAtOnce = 2_000

/**
 * Reads one byte of each file through the mount: rclone opens a file in its cache with the first read, and queues a dirty one
 * when it is closed, with the usual delay. No call of its remote control does that in 1.60. It runs in a child process, since a mount may hang.
 */
export function createRequeue(run: RunCommand): Requeue {
  return async (mountPoint, paths) => {
    const script = 'cd "$0" && exec xargs -0r head -qc 1 -- >/dev/null'
    const options = {
      deadlineMs: requeueMs,
      input: paths
        .slice(0, filesAtOnce)
        .map((path) => `./${path}\0`)
        .join(''),
    }
    const result = await run('nice', ['-n', '19', 'sh', '-c', script, mountPoint], options)
    // 123 of xargs: a file was removed meanwhile.
    if (result.outcome !== 'exited' || (result.exitCode !== 0 && result.exitCode !== 123))
      throw new Error(`Could not queue files of ${mountPoint} again: ${describeFailure(result)}.`)
  }
}
