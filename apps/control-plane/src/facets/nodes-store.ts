import { forEachRole } from '@roost/api-types/rest'
import { resources } from '@roost/api-types/rpc'
import type { NodeService } from '@roost/api-types/rpc'
import type { Database } from '../database/database.js'
import { facetCounter } from '../database/facets.js'

const hasProblems = "(one.problems <> '[]' or one.judged_problems <> '[]')"

/** Counts nodes by what their list is filtered by most. */
export function createNodeFacets(database: Database): NodeService['facets'] {
  return facetCounter(database, resources.nodes, {
    from: 'nodes one join clusters cluster on cluster.id = one.cluster_id join node_roles role on role.node_id = one.id',
    compared: {
      id: 'one.id',
      id__gt: 'one.id',
      q: (
        patterns,
      ) => `(one.hostname ilike any(${patterns}::text[]) or one.cluster_facing_ip ilike any(${patterns}::text[])
        or one.outward_facing_ip ilike any(${patterns}::text[]) or one.replication_facing_ip ilike any(${patterns}::text[])
        or exists (select from devices d where d.node_id = one.id and d.serial ilike any(${patterns}::text[])))`,
      enabled: 'one.enabled',
      hostname: 'one.hostname',
      cluster: 'one.cluster_id',
      cluster__id: 'one.cluster_id',
      cluster__name: 'cluster.name',
      cluster__uuid: 'cluster.uuid',
      node_role: 'role.id',
      ...forEachRole((flag) => `role.${flag}`),
      cpu_cores: 'one.cpu_cores',
      ram_gb: (sizes) => `one.memory_bytes = any(select round(size * 2 ^ 30) from unnest(${sizes}::float8[]) size)`,
      uuid: 'one.uuid',
      state: 'one.state',
      config_state: 'one.config_state',
      agent_version: 'one.agent_version',
      has_problems: hasProblems,
    },
    facets: {
      state: 'one.state',
      config_state: 'one.config_state',
      agent_version: 'one.agent_version',
      has_problems: `${hasProblems}::text`,
      ...forEachRole((flag) => `role.${flag}::text`),
    },
  })
}
