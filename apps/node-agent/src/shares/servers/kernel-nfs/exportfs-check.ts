import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeFailure, type RunCommand } from '../../../machine/run-command.js'
import { differencesFrom, parseEtab } from './etab.js'
import { exportsFormat } from './format.js'

const deadlineMs = 60_000

/**
 * In a mount namespace of its own, where `exportfs` finds our file alone, writes its table beside, and reaches no kernel.
 * Empty folders stand in for those of the shares, which may not be there yet, or hang.
 */
const script = `
set -e
work=$1
for file in hosts resolv.conf nsswitch.conf host.conf netgroup services protocols networks ld.so.cache ld.so.conf ld.so.conf.d passwd group; do
  if [ -e /etc/$file ]; then cp -a /etc/$file "$work/etc/"; fi
done
mount --bind "$work/etc" /etc
mount --bind "$work/nfs" /var/lib/nfs
if [ -d /proc/net/rpc ]; then mount -t tmpfs none /proc/net/rpc; fi
exportfs -r
cat /var/lib/nfs/etab
`

// exportfs ends with 0 for these, and exports something else or nothing.
const guesses = /Failed to|No options|No host name|Warning|Cannot|unmatched/i

/** What nfs-utils itself makes of the exports. Rejects with what it refuses, or would read otherwise. */
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
    const args = ['-m', '--propagation', 'private', 'sh', '-c', script, 'sh', work]
    const result = await run('unshare', args, { deadlineMs, maxOutputBytes: 64 << 20 })
    if (result.exitCode !== 0) throw new Error(`exportfs: ${describeFailure(result)}`)
    const guess = result.stderr.split('\n').find((line) => guesses.test(line))
    if (guess !== undefined) throw new Error(guess)
    const [difference] = differencesFrom(parseEtab(result.stdout), copy, () => true)
    if (difference !== undefined) throw new Error(`exportfs reads our file otherwise: ${difference}`)
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}
