import { queryRows } from '../database/database.js'
import type { Database } from '../database/database.js'
import type { UnsentChunk, UnsentChunks } from './unsent.js'

/** Reads and removes what waits to be sent. */
export function createUnsentChunks(database: Pick<Database, 'pool' | 'disk'>): UnsentChunks {
  return {
    next: (limit) =>
      queryRows<UnsentChunk>(
        database,
        `select u.id::text, u.owner_kind as kind, u.owner_id as "ownerId", u.started_at as "startedAt",
           r.shift_ms as "shiftMs", r.columns_id as "columnsId", r.head, r.data
         from (select * from metric_unsent order by id limit $1) u
         left join metric_raw r using (owner_kind, owner_id, started_at) order by u.id`,
        [limit],
      ),
    async remove(ids) {
      await queryRows(database, 'delete from metric_unsent where id = any($1::bigint[])', [ids])
    },
    async backlog() {
      const [row] = await queryRows<{ chunks: number; oldest: Date | null }>(
        database,
        'select count(*)::int as chunks, min(started_at) as oldest from metric_unsent',
      )
      return { chunks: row?.chunks ?? 0, oldestMs: row?.oldest?.getTime() }
    },
  }
}
