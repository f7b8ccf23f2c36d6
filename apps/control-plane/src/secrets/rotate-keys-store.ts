import type { Session } from '@roost/database'
import type { Database } from '../database/database.js'
import { keyIdOf } from './secrets.js'
import type { SecretPurpose } from './secrets.js'

/** Every column with encrypted secrets. A column that is missing here would be lost by a rotation. */
const sealedColumns: readonly { readonly table: string; readonly column: string; readonly purpose: SecretPurpose }[] = [
  { table: 'users', column: 'password', purpose: 'user-password' },
  { table: 'gateway_shares', column: 'password', purpose: 'share-password' },
  { table: 'storage_logins', column: 'key', purpose: 'storage-key' },
  { table: 'identity_services', column: 'key', purpose: 'identity-key' },
  { table: 'generations', column: 'payload', purpose: 'desired-state' },
  { table: 'alert_receivers', column: 'settings', purpose: 'alert-settings' },
]

/** Reads one secret of each column, to test the key file with. */
export async function sealedSamples({ pool }: Pick<Database, 'pool'>) {
  const samples: { readonly purpose: SecretPurpose; readonly sealed: Uint8Array }[] = []
  for (const { table, column, purpose } of sealedColumns) {
    const { rows } = await pool.query<{ sealed: Uint8Array }>(
      `select ${column} as sealed from ${table} where ${column} is not null limit 1`,
    )
    samples.push(...rows.map(({ sealed }) => ({ purpose, sealed })))
  }
  return samples
}

const rowsAtOnce = 200

type Reseal = (purpose: SecretPurpose, sealed: Uint8Array) => Uint8Array

/** Encrypts all secrets again with the key of that id, in one transaction. Returns their number. */
export async function resealAll({ pool }: Pick<Database, 'pool'>, keyId: string, reseal: Reseal): Promise<number> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    let count = 0
    for (const column of sealedColumns) count += await sealColumn(client, column, reseal)
    await saveKeyId(client, keyId)
    await client.query('commit')
    return count
  } catch (error) {
    await client.query('rollback')
    throw error
  } finally {
    client.release()
  }
}

async function sealColumn(
  client: Session,
  { table, column, purpose }: (typeof sealedColumns)[number],
  reseal: Reseal,
): Promise<number> {
  let count = 0
  await client.query(`lock table ${table} in exclusive mode`) // keeps the ctid of each row valid until we change it
  await client.query(
    `declare sealed cursor for select ctid::text as row_id, ${column} as bytes from ${table} where ${column} is not null`,
  )
  for (;;) {
    const { rows } = await client.query<{ row_id: string; bytes: Uint8Array }>(`fetch ${rowsAtOnce} from sealed`)
    if (rows.length === 0) break
    await client.query(
      `update ${table} set ${column} = s.bytes from unnest($1::tid[], $2::bytea[]) as s(row_id, bytes)
        where ${table}.ctid = s.row_id`,
      [rows.map(({ row_id: rowId }) => rowId), rows.map(({ bytes }) => Buffer.from(reseal(purpose, bytes)))],
    )
    count += rows.length
  }
  await client.query('close sealed')
  return count
}

/** Counts the secrets that were encrypted with a key of another id. */
export async function countSealedByOthers(
  { pool }: Pick<Database, 'pool'>,
  keyIds: readonly string[],
): Promise<number> {
  let count = 0
  for (const { table, column } of sealedColumns) {
    const { rows } = await pool.query<{ count: number }>(
      `select count(*)::int as count from ${table}
        where ${column} is not null and encode(substr(${column}, 2, 4), 'hex') <> all($1)`,
      [keyIds],
    )
    count += rows[0]?.count ?? 0
  }
  return count
}

/** Stores the id of the key that encrypts. */
export async function saveKeyId(session: Pick<Session, 'query'> | Database['pool'], id: string): Promise<void> {
  await session.query(
    `insert into installation (id, secret_key_id) values (1, $1)
       on conflict (id) do update set secret_key_id = excluded.secret_key_id
        where installation.secret_key_id <> excluded.secret_key_id`,
    [id],
  )
}

/** Returns the ids of the keys of which the key file must have one; none before the first start. */
export async function findKeyIds({ pool }: Pick<Database, 'pool'>): Promise<readonly string[]> {
  const { rows } = await pool.query<{ id: string }>('select secret_key_id as id from installation')
  if (rows.length > 0) return rows.map(({ id }) => id)
  // Releases before 0.2 did not store the id.
  return (await sealedSamples({ pool })).map(({ sealed }) => keyIdOf(sealed))
}
