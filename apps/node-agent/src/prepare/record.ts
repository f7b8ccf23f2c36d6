import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import * as z from 'zod/mini'
import { removeManagedFile, writeManagedFile } from '../machine/managed-file.js'
import { readManagedRecord } from '../machine/managed-record.js'
import { PathState } from './path-state.js'

const Entry = z.strictObject({ path: z.string(), before: PathState, after: PathState })
const PreparedRecord = z.strictObject({ version: z.literal(1), entries: z.array(Entry) })

/** A path that was changed, with its states before and after. */
export type Entry = z.infer<typeof Entry>

const remedy = 'Restore it from a backup, or revert the changes by hand and remove it.'

export type PreparedRole = 'proxy' | 'gateway' | 'storage'

/** The changes that prepared the machine for one role, in the state directory. */
export interface PreparationRecord {
  /** Returns the changes in the order in which they were made; none without a record. */
  read(): Promise<readonly Entry[]>
  write(entries: readonly Entry[]): Promise<void>
}

export function openRecord(dataDir: string, role: PreparedRole): PreparationRecord {
  const path = join(dataDir, 'prepared', `${role}.json`)
  return {
    async read() {
      return (await readManagedRecord(path, PreparedRecord, remedy))?.entries ?? []
    },
    async write(entries) {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      if (entries.length === 0) return removeManagedFile(path)
      await writeManagedFile(path, JSON.stringify({ version: 1, entries }))
    },
  }
}
