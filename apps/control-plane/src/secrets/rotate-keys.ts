import type { Database } from '../database/database.js'
import { resealAll } from './rotate-keys-store.js'
import { requireKeyFile } from './key-file.js'
import { createSecrets, newSecretKey, saveSecretKeys } from './secrets.js'

/**
 * Replaces the encryption key and encrypts all secrets with the new one. An interruption loses nothing: the file contains
 * both keys until the database does not need the old one, and the next run continues.
 */
export async function rotateSecretKey(path: string, database: Pick<Database, 'pool'>): Promise<number> {
  const before = await requireKeyFile(path, database)
  const [next, ...old] = before.length > 1 ? before : [newSecretKey(), ...before]
  if (next === undefined) throw new Error(`${path} contains no key. Restore this file from a backup.`)
  const keys = [next, ...old]
  await saveSecretKeys(path, keys)
  const secrets = createSecrets(keys)
  const count = await resealAll(database, next.id, (purpose, sealed) =>
    secrets.seal(purpose, secrets.open(purpose, sealed)),
  )
  await saveSecretKeys(path, [next])
  return count
}
