import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { writeManagedFile } from '../../machine/managed-file.js'
import type { RunCommand } from '../../machine/run-command.js'
import { lastLine } from './log.js'
import { renderRcloneConfig } from './config.js'
import type { Logins } from './config.js'

/** Checks that Swift accepts the logins, before anything depends on them. Rejects with the remedy. */
export type LoginCheck = (logins: Logins) => Promise<void>

const answerMs = 60_000

export function createLoginCheck(run: RunCommand, dir: string): LoginCheck {
  return async (logins) => {
    const file = join(dir, 'check.conf')
    await writeManagedFile(file, renderRcloneConfig(logins))
    try {
      for (const [remote, { auth_url: url, user }] of Object.entries(logins)) {
        const args = [
          'about',
          `${remote}:`,
          '--config',
          file,
          '--contimeout',
          '10s',
          '--timeout',
          '20s',
          '--retries',
          '1',
        ]
        const result = await run('rclone', args, { deadlineMs: answerMs })
        if (result.exitCode === 0) continue
        const output = lastLine(result.stderr) || 'no answer'
        throw new Error(
          `Swift at ${url} rejected the login of ${user} (${output}). Fix it with \`roost cluster set-storage\`.`,
        )
      }
    } finally {
      await rm(file, { force: true })
    }
  }
}

/** Checks that rclone runs. Rejects with the remedy. */
export async function requireRclone(run: RunCommand): Promise<void> {
  const { outcome, exitCode } = await run('rclone', ['version'], { deadlineMs: 20_000 })
  if (outcome === 'exited' && exitCode === 0) return
  throw new Error(
    'rclone cannot be run on this machine. Install rclone and fuse3, or mount the containers yourself and set gateway.mounts to "operator".',
  )
}
