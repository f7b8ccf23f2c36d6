import type { TestDatabase } from './database.js'

/** Every row of every table, as text. */
export async function dumpDatabase({ pool }: Pick<TestDatabase, 'pool'>): Promise<string> {
  const tables = await pool.query<{ name: string }>(
    "select quote_ident(table_name) as name from information_schema.tables where table_schema = 'public'",
  )
  const texts = tables.rows.map(async ({ name }) =>
    (await pool.query<{ row: string }>(`select t::text as row from ${name} t`)).rows.map(({ row }) => row),
  )
  return (await Promise.all(texts)).flat().join('\n')
}
