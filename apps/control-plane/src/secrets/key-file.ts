import { existsSync } from 'node:fs'
import type { Database } from '../database/database.js'
import { StartError } from '../lifecycle/start-error.js'
import { countSealedByOthers, findKeyIds, saveKeyId } from './rotate-keys-store.js'
import { loadSecretKeys } from './secrets.js'
import type { SecretKey } from './secrets.js'

/**
 * Returns the keys of the file, which is created before the first use of the database. Throws StartError if the database was
 * used with another file: passwords that are encrypted with two files could not be read by either installation.
 */
export async function requireKeyFile(path: string, database: Pick<Database, 'pool'>): Promise<readonly SecretKey[]> {
  const expected = await findKeyIds(database)
  const isMissing = expected.length > 0 && !existsSync(path)
  const keys = isMissing ? [] : await loadSecretKeys(path)
  if (expected.length === 0 || keys.some(({ id }) => expected.includes(id))) return keys
  const found = isMissing ? 'does not exist' : `has the key ${keys.map(({ id }) => id).join(', ')}`
  throw new StartError(
    `${path} ${found}, but this database was used with the key ${expected[0]}. Copy that file from a backup or from the machine that used the database. If that file is lost, run "roost local reset-secrets-key"; stored passwords must then be set again.`,
  )
}

/** Returns the keys of the file, and stores in the database that they belong to it. Throws StartError if they do not. */
export async function openKeyFile(path: string, database: Pick<Database, 'pool'>): Promise<readonly SecretKey[]> {
  const keys = await requireKeyFile(path, database)
  await saveKeyId(database.pool, currentId(keys))
  return keys
}

/** Makes the file the one of the database. Returns the id of its key and the number of secrets that it cannot decrypt. */
export async function resetKeyFile(
  path: string,
  database: Pick<Database, 'pool'>,
): Promise<{ readonly id: string; readonly lost: number }> {
  const keys = await loadSecretKeys(path)
  const lost = await countSealedByOthers(
    database,
    keys.map(({ id }) => id),
  )
  await saveKeyId(database.pool, currentId(keys))
  return { id: currentId(keys), lost }
}

function currentId([current]: readonly SecretKey[]): string {
  if (current === undefined) throw new Error('secrets.key contains no key. Restore this file from a backup.')
  return current.id
}
