import { ChangeEvent } from '@roost/api-types/rest'
import type { Database } from '../database/database.js'

/** The changes of all transactions that ended since the last read. */
export interface StoredChanges {
  readonly changes: readonly ChangeEvent[]
  /** More have changed than are read. */
  readonly isIncomplete: boolean
  /** From which transaction on the next read begins. */
  readonly next: bigint
}

export interface ChangeStore {
  /** Returns the changes from a transaction on; none without one. */
  read(from: bigint | undefined): Promise<StoredChanges>
  /** Removes changes of before that time. */
  removeBefore(at: Date): Promise<void>
}

const maxRows = 5_000

interface Row {
  readonly next: bigint
  readonly topic: string | null
  readonly resource: string
  readonly id: number
  readonly cluster: number | null
  readonly change: string
  readonly fields: object | null
}

export function createChangeStore({ prisma }: Pick<Database, 'prisma'>): ChangeStore {
  return {
    async read(from) {
      // A transaction that began earlier may end later: only numbers below the oldest that still runs are complete.
      const rows = await prisma.$queryRaw<Row[]>`
        with ended as (select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as next)
        select ended.next, c.topic, c.resource, c.record_id as id, c.cluster_id as cluster, c.change, c.fields
          from ended left join lateral (
            select * from changes where transaction >= ${from ?? null}::bigint and transaction < ended.next
             order by changes.id limit ${maxRows + 1}) c on true`
      const changes = rows.flatMap(({ topic, resource, id, cluster, change, fields }) =>
        topic === null ? [] : ChangeEvent.parse({ topic, resource, id, cluster, change, ...(fields && { fields }) }),
      )
      return { changes, isIncomplete: changes.length > maxRows, next: rows[0]?.next ?? 0n }
    },
    async removeBefore(at) {
      await prisma.change.deleteMany({ where: { at: { lt: at } } })
    },
  }
}
