import { isDeepStrictEqual } from 'node:util'
import type { DeploymentKind, DesiredState } from '@roost/api-types/agent'
import { recordsOfChanges, resourceUri } from '@roost/api-types/rest'
import type { PendingChange, PendingChanges, RecordDifference } from '@roost/api-types/rest'
import type { PendingChangeService } from '@roost/api-types/rpc'
import type { DeployedState, DeployedStates } from '../deployments/planner.js'
import { differencesOf } from './differences.js'

export interface PendingOptions {
  readonly states: Pick<DeployedStates, 'ofCluster'>
  /** Whether the users of a cluster are deployed to its proxies. Throws `not_found`. */
  readonly hasUsersOnProxies: (clusterId: number) => Promise<boolean>
}

/** What one answer names, and what each change of it does. */
const maxChanges = 1_000
const maxNodes = 20

/** Compares what nodes have in force with what a plan of them would be made from. */
export function createPendingChanges(options: PendingOptions): PendingChangeService {
  const running = new Map<number, Promise<PendingChanges>>()
  const next = new Map<number, Promise<PendingChanges>>()

  function start(clusterId: number): Promise<PendingChanges> {
    const started = compareCluster(options, clusterId).finally(() => running.delete(clusterId))
    running.set(clusterId, started)
    return started
  }

  return {
    async ofCluster(clusterId) {
      const now = running.get(clusterId)
      if (now === undefined) return start(clusterId)
      // The running one may have passed what the caller has changed: all who ask meanwhile get the one after it.
      const known = next.get(clusterId)
      if (known !== undefined) return known
      const begin = () => {
        next.delete(clusterId)
        return start(clusterId)
      }
      const following = now.then(begin, begin)
      next.set(clusterId, following)
      return following
    },
  }
}

async function compareCluster(
  { states, hasUsersOnProxies }: PendingOptions,
  clusterId: number,
): Promise<PendingChanges> {
  const kinds: DeploymentKind[] = (await hasUsersOnProxies(clusterId)) ? ['gateway', 'user_db'] : ['gateway']
  const found = new Map<string, PendingChange>()
  const unknown: PendingChanges['unknown'] = []
  for (const kind of kinds) {
    const compare = rememberLast()
    for await (const { nodeId, ...state } of states.ofCluster(kind, clusterId)) {
      const node = resourceUri('nodes', nodeId)
      const compared = compare(state)
      if ('reason' in compared) unknown.push({ node, kind, ...compared })
      else compared.differences.forEach((difference) => add(found, { ...difference, kind }, node))
    }
  }
  const all = [...found.values()]
  const count = recordsOfChanges(all)
  return { cluster: resourceUri('clusters', clusterId), count, changes: all.slice(0, maxChanges), unknown }
}

type Compared = { readonly differences: readonly RecordDifference[] } | { readonly reason: string }

/** Proxies of a cluster have the same users, as a rule: the next one is compared again only where its state is another one. */
function rememberLast(): (state: DeployedState) => Compared {
  let last: { readonly state: DeployedState; readonly compared: Compared } | undefined
  return (state) => {
    if (last === undefined || !isDeepStrictEqual(last.state, state)) last = { state, compared: compareStates(state) }
    return last.compared
  }
}

function compareStates({ inForce, desired }: DeployedState): Compared {
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
function add(
  found: Map<string, PendingChange>,
  change: Omit<PendingChange, 'nodes' | 'node_count'>,
  node: string,
): void {
  const key = JSON.stringify(change)
  const known = found.get(key) ?? { ...change, nodes: [], node_count: 0 }
  known.node_count += 1
  if (known.nodes.length < maxNodes) known.nodes.push(node)
  found.set(key, known)
}
