import { secondControlPlaneSeconds } from '@roost/api-types/checks'
import { readLastBackup, readLastCopy } from '../backup/last-backup.js'
import type { LastBackup } from '../backup/last-backup.js'
import { judgeSelf } from './judge.js'
import type { LastMade, OwnFacts } from './judge.js'

export interface SelfOptions extends Pick<OwnFacts, 'dataDir'> {
  /** Whether backups are copied off this machine. */
  readonly isBackupCopied: boolean
  /** Since when this installation is known, in Unix milliseconds. */
  readonly installedAt: () => Promise<number>
  /** Reads what this process knows by itself. */
  readonly read: () => Omit<OwnFacts, 'nowMs' | 'dataDir' | 'backup' | 'copy'>
  /** Unix milliseconds. */
  readonly now: () => number
}

/** Returns a function that judges this control plane, as the health of clusters is judged. */
export function createSelf({ dataDir, isBackupCopied, installedAt, read, now }: SelfOptions) {
  return async () => {
    const last = await readLastBackup(dataDir)
    const never: LastMade = { isMade: false, ms: await installedAt() }
    const backup = last === undefined ? never : madeAt(last.created, never)
    const copy = isBackupCopied && last !== undefined ? await copyOf(last, never) : null
    const facts = { ...read(), nowMs: now(), dataDir, backup, copy }
    const about = { nodeId: null, deviceId: null, since: null }
    return {
      id: null,
      name: '',
      nodes: [],
      reasons: judgeSelf(facts).map((problem) => ({ ...problem, ...about })),
      isKnown: ({ problem }: { readonly problem: string }) => isKnown(facts, problem),
    }
  }
}

/** Returns false where the disk cannot be read, and where this process has not run for long enough to know of refused starts. */
function isKnown({ space, heardSinceMs, nowMs }: OwnFacts, problem: string): boolean {
  if (problem === 'roost_disk') return space !== undefined
  return problem !== 'second_control_plane' || nowMs - heardSinceMs > secondControlPlaneSeconds * 1_000
}

async function copyOf(last: LastBackup, never: LastMade): Promise<LastMade> {
  const copy = await readLastCopy(last)
  return 'copied' in copy ? madeAt(copy.copied, never) : never
}

function madeAt(time: string, never: LastMade): LastMade {
  const ms = Date.parse(time)
  return Number.isNaN(ms) ? never : { isMade: true, ms }
}
