import { queryRows } from '../database/database.js'
import type { Database } from '../database/database.js'

export interface SystemStore {
  sizeOfDatabase(): Promise<number>
  /** Counts nodes by the version of their agents, the most first. */
  countVersions(): Promise<readonly { readonly version: string | null; readonly nodes: number }[]>
}

export function createSystemStore(database: Pick<Database, 'pool' | 'disk'>): SystemStore {
  return {
    async sizeOfDatabase() {
      const sql = 'select pg_database_size(current_database())::float8 as bytes'
      const [row] = await queryRows<{ readonly bytes: number }>(database, sql)
      return row?.bytes ?? 0
    },
    countVersions: () =>
      queryRows(
        database,
        'select agent_version as version, count(*)::int as nodes from nodes group by 1 order by 2 desc, 1 limit 100',
      ),
  }
}
