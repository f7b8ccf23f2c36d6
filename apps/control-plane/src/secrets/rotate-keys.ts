import type { Database } from '../database/database.js'
import { resealAll } from './rotate-keys-store.js'
import { createSecrets, loadSecretKeys, newSecretKey, saveSecretKeys } from './secrets.js'

/**
 * Replaces the encryption key and encrypts all secrets with the new one. An interruption loses nothing: the file contains
 * both keys until the database does not need the old one, and the next run continues.
 */
export async function rotateSecretKey(path: string, database: Pick<Database, 'pool'>): Promise<number> {
  const before = await loadSecretKeys(path)
  const keys = before.length > 1 ? before : [newSecretKey(), ...before]
  await saveSecretKeys(path, keys)
  const secrets = createSecrets(keys)
  const count = await resealAll(database, (purpose, sealed) => secrets.seal(purpose, secrets.open(purpose, sealed)))
  await saveSecretKeys(path, keys.slice(0, 1))
  return count
}
