import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { StorageLogin } from '@roost/api-types/agent'
import type { RunCommand } from '../../machine/run-command.js'
import { isKeystoneLogin } from './keystone-token.js'
import { createStorageCheck } from './storage-check.js'
import { createStorageClient } from './storage-client.js'
import { lastLine } from '../rclone/log.js'
import type { Logins } from '../rclone/config.js'
import { caFileOf, writeLoginFiles } from '../rclone/login-files.js'
import { loginName } from '../rclone/login-name.js'

/** Checks that Swift accepts the logins, before anything depends on them. Rejects with the remedy. */
export type LoginCheck = (logins: Logins) => Promise<void>

const answerMs = 60_000
/** A Keystone that hashes passwords slowly answers within this time. */
const keystoneMs = 30_000

/** `dir` contains the files of the check while it runs. */
export function createLoginCheck(run: RunCommand, dir: string): LoginCheck {
  return async (logins) => {
    for (const login of Object.values(logins)) await requireKeystone(login)
    const folder = join(dir, 'check')
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const file = join(folder, 'rclone.conf')
    try {
      await writeLoginFiles(file, logins)
      for (const [remote, login] of Object.entries(logins)) {
        const ca = login.ca === undefined ? [] : ['--ca-cert', caFileOf(file, remote)]
        const limits = ['--contimeout', '10s', '--timeout', '20s', '--retries', '1']
        const args = ['about', `${remote}:`, '--config', file, ...ca, ...limits]
        const result = await run('rclone', args, { deadlineMs: answerMs })
        if (result.exitCode === 0) continue
        const output = lastLine(result.stderr) || 'no answer'
        throw new Error(
          `Swift at ${login.auth_url} rejected the login of ${loginName(login)} (${output}). Fix it with \`roost cluster set-storage\`.`,
        )
      }
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }
}

/** Asks Keystone and Swift as rclone does, without tokens of earlier logins: rclone does not repeat what Keystone answers. */
async function requireKeystone(login: StorageLogin): Promise<void> {
  if (!isKeystoneLogin(login)) return
  const reason = await createStorageCheck(createStorageClient(keystoneMs))(login)
  if (reason === undefined) return
  throw new Error(
    `The storage login of ${loginName(login)} does not work (${reason}). Fix it with \`roost cluster set-storage\`.`,
  )
}
