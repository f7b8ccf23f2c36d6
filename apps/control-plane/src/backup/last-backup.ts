import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { writeFileAtomically } from '@roost/runtime'

/** The contents of `<data>/last-backup.json`. */
export interface LastBackup {
  readonly path: string
  /** When the backup was complete, in ISO 8601. */
  readonly created: string
}

const pathIn = (dataDir: string) => join(dataDir, 'last-backup.json')

/** Records a complete backup for `roost doctor`. */
export function recordBackup(dataDir: string, backup: LastBackup): Promise<void> {
  return writeFileAtomically(pathIn(dataDir), `${JSON.stringify(backup)}\n`, { mode: 0o600 })
}

/** Returns undefined if no backup was made, or its record is unreadable. */
export async function readLastBackup(dataDir: string): Promise<LastBackup | undefined> {
  try {
    return JSON.parse(await readFile(pathIn(dataDir), 'utf8')) as LastBackup
  } catch {
    return undefined
  }
}

/** When the last backup was copied off the machine, or why that is not known: the path and the code of the error. */
export type LastCopy = { readonly copied: string } | { readonly path: string; readonly code: string }

/** Reads when the timer copied a backup last; it writes that beside the backups. */
export async function readLastCopy(last: LastBackup): Promise<LastCopy> {
  const path = join(dirname(last.path), 'last-copy')
  try {
    return { copied: (await readFile(path, 'utf8')).trim() }
  } catch (error) {
    return { path, code: (error as NodeJS.ErrnoException).code ?? '' }
  }
}
