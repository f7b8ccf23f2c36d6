import type { MetricDefinition } from '@roost/api-types/agent'
import { queryRows } from '../database/database.js'
import type { Database } from '../database/database.js'
import { concurrencyLimit } from '@roost/runtime'
import { found } from '../services/errors.js'

export interface StoredNode {
  readonly nodeId: number
  readonly clusterId: number
  /** Digest of its definitions; null before its first catalogue. */
  readonly digest: string | null
}

/** What is known of metrics across a restart: every node's cluster, and the definitions of its last catalogue. */
export interface MetricStore {
  /** Throws `not_found`. */
  readonly requireNode: (nodeId: number) => Promise<void>
  listNodes(): Promise<readonly StoredNode[]>
  listDefinitions(): Promise<ReadonlyMap<string, readonly MetricDefinition[]>>
  /** The node's cluster; undefined when there is no such node. */
  upsertCatalogue(nodeId: number, digest: string, definitions: readonly MetricDefinition[]): Promise<number | undefined>
  /** Removes the definitions that no node uses any more. */
  deleteUnused(): Promise<void>
}

/** A new fleet brings the same names at once, and would wait for their one row on every connection that the API needs. */
const catalogueWrites = 2

export function createMetricStore(database: Pick<Database, 'prisma' | 'pool' | 'disk'>): MetricStore {
  const { prisma } = database
  const writes = concurrencyLimit(catalogueWrites)
  return {
    async requireNode(nodeId) {
      const [node] = await queryRows(database, 'select from nodes where id = $1', [nodeId])
      found(node)
    },
    listNodes: () => prisma.$queryRaw`
      select n.id as "nodeId", n.cluster_id as "clusterId", c.digest
      from nodes n left join metric_catalogues c on c.node_id = n.id
      order by n.id`,
    async listDefinitions() {
      const rows = await prisma.metricDefinitions.findMany({ where: { catalogues: { some: {} } } })
      return new Map(rows.map((row) => [row.digest, row.definitions as unknown as readonly MetricDefinition[]]))
    },
    async upsertCatalogue(nodeId, digest, definitions) {
      // Not by Prisma, which would write and read the text of the definitions once more as a part of its own JSON.
      const rows = await writes(() =>
        queryRows<{ cluster_id: number }>(
          database,
          `with node as (select id, cluster_id from nodes where id = $1),
           definitions as (
             insert into metric_definitions (digest, definitions)
             select $2, $3::jsonb from node
             on conflict (digest) do update set digest = excluded.digest),
           catalogue as (
             insert into metric_catalogues (node_id, digest, updated_at)
             select id, $2, now() from node
             on conflict (node_id) do update set digest = excluded.digest, updated_at = excluded.updated_at)
           select cluster_id from node`,
          [nodeId, digest, JSON.stringify(definitions)],
        ),
      )
      return rows[0]?.cluster_id
    },
    async deleteUnused() {
      await prisma.metricDefinitions.deleteMany({ where: { catalogues: { none: {} } } })
    },
  }
}
