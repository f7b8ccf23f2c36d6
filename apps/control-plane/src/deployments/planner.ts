import type { DeploymentKind, DesiredState } from '@roost/api-types/agent'
import { resourceUri, RoostError } from '@roost/api-types/rest'
import type { AgentRequests } from '../agents/requests.js'
import type { Transaction } from '../database/transaction.js'
import type { BodyFingerprint } from '../secrets/body-fingerprint.js'
import { messages } from '../services/messages.js'
import type { JobStore } from './job-store.js'
import type { AskProxies } from '../services/proxies.js'
import type { Payload, Payloads } from './payload.js'
import { planMark } from './plan-id.js'
import type { ReviewedPlan } from './plan-id.js'
import type { StateStore } from './state-store.js'

export interface PlannerOptions {
  readonly store: StateStore
  readonly payloads: Payloads
  readonly requests: AgentRequests
  readonly mac: BodyFingerprint
}

/** A plan with the mark by which it is recognised and what it was made for, or why there is none. */
export type Planned = (ReviewedPlan & { readonly payload: string }) | { readonly error: string }

/** Asks a node what it would do. */
export type Planner = (kind: DeploymentKind, nodeId: number, returnTo: number | null) => Promise<Planned>

export function createPlanner({ store, payloads, requests, mac }: PlannerOptions, timeoutMs: number): Planner {
  return async (kind, nodeId, returnTo) => {
    const wanted = await store.transaction((tx) => payloads.read(tx, kind, nodeId, returnTo))
    if ('error' in wanted) return wanted
    const { payload } = wanted
    const answer = await requests.askForPlan(nodeId, JSON.parse(payload) as DesiredState, timeoutMs)
    if ('error' in answer) return answer
    const plan = { node: resourceUri('nodes', nodeId), ...answer.result, error: null }
    return { plan, mark: planMark(mac, nodeId, payload, answer.result), payload }
  }
}

/** What a node has and what a deployment would bring it to. */
export interface DeployedState {
  /** Null before its first generation. */
  readonly inForce: Payload | null
  /** That of its plan. */
  readonly desired: Payload
}

/** The states between which plans lead. */
export interface DeployedStates {
  /** Those of the nodes to which a deployment to the cluster goes, one after the other. Throws `not_found`. */
  ofCluster(kind: DeploymentKind, clusterId: number): AsyncIterable<DeployedState & { readonly nodeId: number }>
  /** What a deployment to the node would be made for, in the caller's transaction. */
  desired(tx: Transaction, kind: DeploymentKind, nodeId: number): Promise<Payload>
  /** Null before the first generation of the node. */
  inForce(kind: DeploymentKind, nodeId: number): Promise<Payload | null>
}

interface DeployedStatesOptions extends Pick<PlannerOptions, 'payloads'> {
  readonly store: Pick<StateStore, 'transaction' | 'ofNode'>
  readonly jobs: Readonly<Record<DeploymentKind, Pick<JobStore, 'findTargets'>>>
  readonly askProxies: AskProxies
}

export function createDeployedStates({ jobs, store, payloads, askProxies }: DeployedStatesOptions): DeployedStates {
  async function inForce(tx: Transaction, kind: DeploymentKind, nodeId: number): Promise<Payload | null> {
    const state = (await store.ofNode(nodeId, tx)).find((each) => each.kind === kind)
    const { inForce: generation = 0 } = state ?? {}
    return generation === 0 ? null : payloads.read(tx, kind, nodeId, generation)
  }

  return {
    desired: (tx, kind, nodeId) => payloads.read(tx, kind, nodeId, null),
    inForce: (kind, nodeId) => store.transaction((tx) => inForce(tx, kind, nodeId)),
    async *ofCluster(kind, clusterId) {
      const answers = kind === 'user_db' ? await askProxies(clusterId) : new Map()
      const nodes = await store.transaction((tx) => jobs[kind].findTargets(tx, clusterId, answers))
      if (nodes === undefined) throw new RoostError('not_found', messages.recordNotFound)
      let users: Payload | undefined
      for (const nodeId of nodes.targets) {
        const state = await store.transaction(async (tx) => ({
          inForce: await inForce(tx, kind, nodeId),
          desired: users ?? (await payloads.current(tx, kind, nodeId)),
        }))
        // All proxies of a cluster get the same users: they are decrypted once.
        if (kind === 'user_db') users = state.desired
        yield { nodeId, ...state }
      }
    },
  }
}
