import type { AppliedMessage, DesiredState, DriftMessage, PlanMessage, ProgressMessage } from '@roost/api-types/agent'
import type { Transaction } from '../audit/store.js'
import type { Secrets } from '../secrets.js'
import { createPlanQuestions } from './plan-questions.js'
import type { NodeChannel, PlanAnswer } from './plan-questions.js'
import type { StateStore } from './state-store.js'

export interface DeploymentNodesCollaborators {
  readonly store: StateStore
  readonly secrets: Secrets
  readonly channel: NodeChannel
  /** A target or a node has moved: the jobs are to be looked at. */
  readonly wake: () => void
}

/** The nodes' side of deployments: what is sent to agents, and what they report. */
export interface DeploymentNodes {
  plan(nodeId: number, desired: DesiredState, deadlineMs: number): Promise<PlanAnswer>
  /** Sends what the node is to hold; it does nothing about what it holds already. */
  sendDesired(nodeId: number): Promise<void>
  planned(nodeId: number, message: PlanMessage): void
  progressed(nodeId: number, message: ProgressMessage): Promise<void>
  applied(nodeId: number, message: AppliedMessage): Promise<void>
  drifted(nodeId: number, message: DriftMessage): Promise<void>
}

const phases = ['waiting', 'planned', 'staged'] as const

export function createDeploymentNodes({
  store,
  secrets,
  channel,
  wake,
}: DeploymentNodesCollaborators): DeploymentNodes {
  const questions = createPlanQuestions(channel)
  return {
    plan: (nodeId, desired, deadlineMs) => questions.ask(nodeId, desired, deadlineMs),
    planned: (nodeId, message) => questions.answered(nodeId, message),
    async sendDesired(nodeId) {
      if (!channel.isConnected(nodeId)) return
      for (const { generation, payload } of await store.desiredOf(nodeId)) {
        const desired = JSON.parse(secrets.open('desired-state', payload)) as DesiredState
        channel.send(nodeId, { type: 'desired', generation, desired })
      }
    },
    progressed: (nodeId, { kind, generation, state }) =>
      store.transaction(async (tx) => {
        for (const target of await store.findTargets(tx, nodeId, kind, generation))
          if (phases.indexOf(state) > phases.indexOf(target.state as 'waiting'))
            await store.updateTarget(tx, target.jobId, nodeId, { state })
      }),
    async applied(nodeId, message) {
      await store.transaction((tx) => takeOutcome(tx, store, nodeId, message))
      wake()
    },
    drifted: (nodeId, { kind, in_force: inForce, items }) =>
      store.transaction(async (tx) => {
        const state = await store.findForUpdate(tx, nodeId, kind)
        if (state?.inForce !== inForce) return
        await store.setDrift(tx, nodeId, kind, items)
        await store.refreshNode(tx, nodeId)
      }),
  }
}

async function takeOutcome(tx: Transaction, store: StateStore, nodeId: number, told: AppliedMessage): Promise<void> {
  const { kind, generation, outcome, in_force: inForce, message } = told
  const state = await store.findForUpdate(tx, nodeId, kind)
  // What is no longer asked for was overtaken: its word counts for nothing but to be acknowledged.
  if (state?.desired !== generation) return
  await store.setOutcome(tx, nodeId, kind, { outcome, inForce, message })
  // What drifted, did so from the generation before; the same answer again says nothing about it.
  if (state.inForce !== inForce) await store.setDrift(tx, nodeId, kind, [])
  for (const { jobId } of await store.findTargets(tx, nodeId, kind, generation))
    await store.updateTarget(tx, jobId, nodeId, { state: outcome, message, answered: true })
  await store.refreshNode(tx, nodeId)
}
