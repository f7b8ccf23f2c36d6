import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeFileAtomically } from '@roost/runtime'
import type { FirstStartStore } from './first-operator-store.js'
import { digestOfKey, newApiKey } from './api-key.js'

export function apiKeyPath(dataDir: string): string {
  return join(dataDir, 'admin.apikey')
}

/** The line `admin:<key>` of the first operator; undefined when the file is not there or not readable. */
export async function readApiKey(dataDir: string): Promise<string | undefined> {
  const text = await readFile(apiKeyPath(dataDir), 'utf8').catch(() => '')
  return /^(\S+:\S+)\s*$/.exec(text)?.[1]
}

/** Makes the first operator and the first cluster where there is none, and writes the operator's key once. */
export async function ensureFirstOperator(store: FirstStartStore, dataDir: string): Promise<boolean> {
  return store.insertFirst(async () => {
    // A start that was killed before it committed has left its file: its key is as good as a new one.
    const left = (await readApiKey(dataDir))?.match(/^admin:(.+)$/)?.[1]
    const key = left ?? newApiKey()
    if (left === undefined) await writeFileAtomically(apiKeyPath(dataDir), `admin:${key}\n`, { mode: 0o600 })
    return digestOfKey(key)
  })
}

/** The line with which this machine's command line calls from now on. */
export function writeApiKey(dataDir: string, credentials: string): Promise<void> {
  return writeFileAtomically(apiKeyPath(dataDir), `${credentials}\n`, { mode: 0o600 })
}
