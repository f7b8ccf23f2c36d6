import { queryRows } from '../database/database.js'
import type { Database } from '../database/database.js'
import { escapeLike } from '../database/table-fields.js'

export interface FoundRow {
  readonly resource: 'nodes' | 'devices' | 'gateway_shares' | 'users'
  readonly id: number
  readonly name: string
  readonly detail: string
  readonly clusterId: number
  readonly nodeId: number | null
}

export interface SearchStore {
  /** Rows of all tables that have the text in a column that people know, those with the most similar name first. */
  find(text: string, limit: number): Promise<readonly FoundRow[]>
}

/** Each table with the columns of a hit, and those in which the text is searched, as SQL expressions. */
const tables = [
  {
    resource: 'nodes',
    from: 'nodes one',
    name: 'one.hostname',
    detail: "coalesce(one.cluster_facing_ip, '')",
    node: 'null::int',
    searched: [
      'one.hostname',
      'one.uuid::text',
      'one.cluster_facing_ip',
      'one.outward_facing_ip',
      'one.replication_facing_ip',
      "array_to_string(one.other_ips, ' ')",
    ],
  },
  {
    resource: 'devices',
    from: 'devices one join nodes node on node.id = one.node_id',
    name: 'one.name',
    detail: "concat_ws(' ', node.hostname, one.serial)",
    node: 'one.node_id',
    searched: ['one.name', 'one.serial', 'one.fs_uuid', 'one.mount_point'],
  },
  {
    resource: 'gateway_shares',
    from: 'gateway_shares one join nodes node on node.id = one.node_id',
    name: 'one.name',
    detail: 'node.hostname',
    node: 'one.node_id',
    searched: ['one.name', 'one.container'],
  },
  {
    resource: 'users',
    from: 'users one',
    name: 'one.name',
    detail: "coalesce(one.login, '')",
    node: 'null::int',
    searched: ['one.name', 'one.login'],
  },
] as const

/** $1: the text; $2: the same as a pattern of LIKE; $3: the limit. PostgreSQL lowers both sides, by the rules of its locale. */
const selects = tables.map(
  ({ resource, from, name, detail, node, searched }) => `(
    select '${resource}' as resource, one.id, ${name} as name, ${detail} as detail, one.cluster_id as "clusterId", ${node} as "nodeId",
      case when lower(${name}) = lower($1) then 0 when lower(${name}) like lower($2) || '%' then 1 else 2 end as rank
    from ${from}
    where ${searched.map((column) => `lower(${column}) like '%' || lower($2) || '%'`).join(' or ')}
    order by rank, name, one.id limit $3)`,
)
const statement = `${selects.join(' union all ')} order by rank, name, resource, id limit $3`

export function createSearchStore(database: Pick<Database, 'pool' | 'disk'>): SearchStore {
  return {
    find(text, limit) {
      return queryRows<FoundRow>(database, statement, [text, escapeLike(text), limit])
    },
  }
}
