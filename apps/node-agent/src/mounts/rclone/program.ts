import type { RunCommand } from '../../machine/run-command.js'

/** Checks that rclone runs. Rejects with the remedy. */
export async function requireRclone(run: RunCommand): Promise<void> {
  const { outcome, exitCode } = await run('rclone', ['version'], { deadlineMs: 20_000 })
  if (outcome === 'exited' && exitCode === 0) return
  throw new Error(
    'rclone cannot be run on this machine. Install rclone and fuse3, or mount the containers yourself and set gateway.mounts to "operator".',
  )
}
