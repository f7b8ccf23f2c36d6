import { mkdir, rm, symlink } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Machine } from '../../machine/machine.js'
import type { RunCommand } from '../../machine/run-command.js'
import { reasonAgainst } from '../users/check.js'
import type { ProxyPlan } from './proxy-plan.js'
import { settingsFileName } from './proxy-settings-file.js'

/**
 * Loads the proxy's own program with the new settings, in a folder beside the state. Throws a sentence if the proxy would start
 * without them and not with them; returns a remark if it would not start at all.
 */
export async function checkSettings(
  machine: Machine,
  run: RunCommand,
  dataDir: string,
  { changes, files, folder, account }: ProxyPlan,
): Promise<string | null> {
  const settings = changes.find(({ path }) => path === `${folder}/${settingsFileName}`)?.after
  const text = settings?.kind === 'file' ? settings.text : null
  const dir = join(dataDir, 'prepared')
  const trial = join(dir, 'proxy-server.conf.d')
  await mkdir(trial, { recursive: true, mode: 0o700 })
  try {
    for (const [i, { path }] of files.entries())
      await symlink(machine.path(path), join(trial, `${10 + i}-${basename(path)}`))
    const candidate = {
      folder: trial,
      name: settingsFileName,
      entries: [],
      reader: { uid: 0, gids: [account.gid] },
    } as const
    const reason = await reasonAgainst(run, dir, { ...candidate, text })
    if (reason === null) return null
    const before = await reasonAgainst(run, dir, { ...candidate, text: null })
    if (before === null)
      throw new Error(`The proxy would not start with these settings, so that nothing was changed: ${reason}`)
    return `The proxy would not start now, and not with these settings either: ${before}`
  } finally {
    await rm(trial, { recursive: true, force: true })
  }
}
