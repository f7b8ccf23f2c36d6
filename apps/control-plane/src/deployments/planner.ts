import type { DeploymentKind, DesiredState } from '@roost/api-types/agent'
import { resourceUri } from '@roost/api-types/rest'
import type { AgentRequests } from '../agents/requests.js'
import type { BodyFingerprint } from '../secrets/body-fingerprint.js'
import type { Payloads } from './payload.js'
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
