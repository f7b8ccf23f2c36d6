import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { assetPath } from '../../../machine/package.js'
import { describeFailure, type RunCommand } from '../../../machine/run-command.js'
import { differencesFrom, parseEtab } from './etab.js'
import { exportsFormat } from './format.js'

const deadlineMs = 60_000

// exportfs ends with 0 for these, and exports something else or nothing.
const guesses = /Failed to|No options|No host name|Warning|Cannot|unmatched/i

/** Checks the exports with nfs-utils itself. Rejects with what it refuses, or would read differently. */
export async function checkWithExportfs(text: string, run: RunCommand): Promise<void> {
  const work = await mkdtemp(join(tmpdir(), 'roost-exportfs-'))
  try {
    const lines = exportsFormat.parse(text).map((line, i) => ({ ...line, path: join(work, 'shares', String(i)) }))
    const copy = exportsFormat.encode(lines)
    for (const folder of ['etc/exports.d', 'nfs/v4recovery']) await mkdir(join(work, folder), { recursive: true })
    for (const { path } of lines) await mkdir(path, { recursive: true })
    await writeFile(join(work, 'etc/exports'), '')
    await writeFile(join(work, 'nfs/etab'), '')
    await writeFile(join(work, 'etc/exports.d/roost.exports'), copy)
    const args = ['-m', '--propagation', 'private', 'sh', assetPath('exportfs-check.sh'), work]
    const result = await run('unshare', args, { deadlineMs, maxOutputBytes: 64 << 20 })
    if (result.exitCode !== 0) throw new Error(`exportfs: ${describeFailure(result)}`)
    const guess = result.stderr.split('\n').find((line) => guesses.test(line))
    if (guess !== undefined) throw new Error(guess)
    const [difference] = differencesFrom(parseEtab(result.stdout), copy, () => true)
    if (difference !== undefined) throw new Error(`exportfs does not read the file as intended: ${difference}`)
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}
