import { join } from 'node:path'
import { assetPath } from '../../machine/package.js'
import { removeManagedFile, writeManagedFile } from '../../machine/managed-file.js'
import { describeFailure } from '../../machine/run-command.js'
import type { RunCommand } from '../../machine/run-command.js'
import type { Reader } from './proxy-process.js'
import { groupsWithoutUrl } from './lines/adopted.js'
import type { UserEntry } from './lines/entry.js'

export interface Candidate {
  /** The folder that the proxy reads. */
  readonly folder: string
  /** The name that the text would have there. */
  readonly name: string
  /** Null checks the folder without our file. */
  readonly text: string | null
  readonly entries: readonly UserEntry[]
  /** The account with which the proxy reads the folder. */
  readonly reader: Reader
}

const deadlineMs = 60_000

/**
 * Loads the proxy's own program with a file that is not in its folder yet, and compares the users of tempauth with the desired
 * users. Throws a sentence if the proxy would not start or would read a user differently: a reload would end the proxy.
 */
export async function checkCandidate(run: RunCommand, dir: string, candidate: Candidate): Promise<void> {
  const reason = await reasonAgainst(run, dir, candidate)
  if (reason !== null)
    throw new Error(`The proxy would not start with these users, so that its configuration was not changed: ${reason}`)
}

/** Returns why the proxy would not start with a file in its folder, or null. */
export async function reasonAgainst(run: RunCommand, dir: string, candidate: Candidate): Promise<string | null> {
  const staged = join(dir, 'staged.conf')
  const expected = join(dir, 'expected.json')
  try {
    await writeManagedFile(staged, candidate.text ?? '', 0o600)
    await writeManagedFile(
      expected,
      JSON.stringify(candidate.entries.map(({ login, key, groups }) => [login, key, groupsWithoutUrl(groups)])),
    )
    const { uid, gids } = candidate.reader
    const args = [
      assetPath('check-users.py'),
      candidate.folder,
      candidate.name,
      staged,
      expected,
      String(uid),
      gids.join(),
    ]
    const result = await run('python3', args, { deadlineMs })
    if (result.outcome === 'exited' && result.exitCode === 0 && result.stdout.endsWith('OK\n')) return null
    const output = result.outcome === 'exited' ? result.stdout.trim().split('\n').at(-1) : ''
    return masked(output || describeFailure(result), candidate.entries)
  } finally {
    await removeManagedFile(staged)
    await removeManagedFile(expected)
  }
}

function masked(text: string, entries: readonly UserEntry[]): string {
  return entries.reduce((sentence, { key }) => sentence.replaceAll(key, '<key>'), text)
}
