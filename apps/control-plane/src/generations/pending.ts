import type { DeploymentKind, DesiredState } from '@roost/api-types/agent'
import { resourceUri } from '@roost/api-types/rest'
import type { PendingChange, PendingChanges, RecordDifference } from '@roost/api-types/rest'
import type { PendingChangeService } from '@roost/api-types/rpc'
import type { DeployedState, DeployedStates } from '../deployments/planner.js'
import { differencesOf } from './differences.js'

export interface PendingOptions {
  readonly states: DeployedStates
  /** Whether the users of a cluster are deployed to its proxies. Throws `not_found`. */
  readonly hasUsersOnProxies: (clusterId: number) => Promise<boolean>
}

/** What one answer names. */
const maxChanges = 1_000

/** Compares what nodes have in force with what a plan of them would be made from. */
export function createPendingChanges({ states, hasUsersOnProxies }: PendingOptions): PendingChangeService {
  return {
    async ofCluster(clusterId) {
      const kinds: DeploymentKind[] = (await hasUsersOnProxies(clusterId)) ? ['gateway', 'user_db'] : ['gateway']
      const found = new Map<string, PendingChange>()
      const unknown: PendingChanges['unknown'] = []
      for (const { kind, nodeId } of await targetsOf(states, clusterId, kinds)) {
        const node = resourceUri('nodes', nodeId)
        const compared = compare(await states.read(kind, nodeId))
        if ('reason' in compared) unknown.push({ node, kind, ...compared })
        else for (const difference of compared.differences) add(found, { ...difference, kind, nodes: [node] })
      }
      const changes = [...found.values()].slice(0, maxChanges)
      return { cluster: resourceUri('clusters', clusterId), count: found.size, changes, unknown }
    },
  }
}

async function targetsOf(states: DeployedStates, clusterId: number, kinds: readonly DeploymentKind[]) {
  const found = []
  for (const kind of kinds) found.push(...(await states.targets(kind, clusterId)).map((nodeId) => ({ kind, nodeId })))
  return found
}

type Compared = { readonly differences: readonly RecordDifference[] } | { readonly reason: string }

function compare({ inForce, desired }: DeployedState): Compared {
  if ('error' in desired) return { reason: desired.error }
  if (inForce === null) return { differences: differencesOf(null, parse(desired.payload)) }
  if ('error' in inForce) return { reason: inForce.error }
  if (inForce.payload === desired.payload) return { differences: [] }
  return { differences: differencesOf(parse(inForce.payload), parse(desired.payload)) }
}

function parse(payload: string): DesiredState {
  return JSON.parse(payload) as DesiredState
}

/** The same change on several nodes is one. */
function add(found: Map<string, PendingChange>, { nodes, ...change }: PendingChange): void {
  const key = JSON.stringify(change)
  const known = found.get(key)
  if (known === undefined) found.set(key, { ...change, nodes })
  else known.nodes.push(...nodes)
}
