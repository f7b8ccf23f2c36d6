import type { DeploymentKind } from '@roost/api-types/agent'
import { resourceUri } from '@roost/api-types/rest'
import type { DriftedNode, NodeState } from '@roost/api-types/rest'
import type { DriftedNodesService } from '@roost/api-types/rpc'
import { queryRows } from '../database/database.js'
import type { Database } from '../database/database.js'

interface Row extends Pick<DriftedNode, 'hostname' | 'state'> {
  readonly id: number
  readonly clusterId: number
  readonly state: NodeState
  readonly kinds: readonly KindRow[]
}

interface KindRow {
  readonly kind: DeploymentKind
  readonly generation: number
  readonly applied_generation: number
  readonly items: number
  readonly adoptable: number
  readonly since: string
}

/** Reads which nodes have reported differences from what was deployed to them, by their numbers alone. */
export function createDriftedNodes(database: Pick<Database, 'pool' | 'disk'>): DriftedNodesService {
  return {
    async list({ cluster, limit, offset }) {
      const of = [cluster ?? null]
      const [counted, rows] = await Promise.all([
        queryRows<{ total: number }>(database, `select count(*)::int as total from nodes n where ${isDrifted}`, of),
        queryRows<Row>(database, page, [...of, limit, offset]),
      ])
      return { total: counted[0]?.total ?? 0, objects: rows.map(recordOf) }
    },
  }
}

const isDrifted = `($1::int is null or n.cluster_id = $1)
  and exists (select 1 from node_deployments d where d.node_id = n.id and d.drift_since is not null)`

const page = `
  select n.id, n.hostname, n.cluster_id as "clusterId", n.state, (
    select json_agg(json_build_object(
             'kind', d.kind, 'generation', d.desired, 'applied_generation', d.in_force,
             'items', jsonb_array_length(d.drift),
             'adoptable', (select count(*) from jsonb_array_elements(d.drift) item where item -> 'adoptable' is not null),
             'since', d.drift_since) order by d.kind)
      from node_deployments d where d.node_id = n.id and d.drift_since is not null) as kinds
    from nodes n
   where ${isDrifted}
   order by n.hostname, n.id
   limit $2 offset $3`

function recordOf({ id, hostname, clusterId, state, kinds }: Row): DriftedNode {
  return {
    node: resourceUri('nodes', id),
    hostname,
    cluster: resourceUri('clusters', clusterId),
    state,
    kinds: kinds.map(({ since, ...kind }) => ({ ...kind, since: new Date(since).toISOString() })),
  }
}
