import type {
  AppliedMessage,
  DeploymentKind,
  DesiredState,
  DriftMessage,
  ProgressMessage,
} from '@roost/api-types/agent'
import type { NodeChannel } from '../agents/requests.js'
import { unknownFields } from '../agents/unknown-fields.js'
import type { Transaction } from '../database/transaction.js'
import type { Secrets } from '../secrets/secrets.js'
import { deploymentKinds, notGranted } from './kinds.js'
import type { NodeDeploymentState, StateStore } from './state-store.js'

export interface DeploymentNodesOptions {
  readonly store: StateStore
  readonly secrets: Secrets
  readonly channel: NodeChannel
  /** Called when a target or node has changed, so that the runner looks at its jobs. */
  readonly wake: () => void
}

/** The nodes' side of deployments: what is sent to agents, and what they report. */
export interface DeploymentNodes {
  /** Returns why the node's agent cannot apply a payload; undefined when it can, or is not connected. */
  fault(nodeId: number, payload: string): string | undefined
  /** Sends the node's desired state; the node ignores what it has applied already. */
  sendDesired(nodeId: number): Promise<void>
  progressed(nodeId: number, message: ProgressMessage): Promise<void>
  applied(nodeId: number, message: AppliedMessage): Promise<void>
  drifted(nodeId: number, message: DriftMessage): Promise<void>
}

/** Only a node that reports a number which it never counted up to comes here. */
export const usedUp =
  'The node has used up its generation numbers. Remove it, delete the state directory of its agent, and enroll it again.'

const phases = ['waiting', 'planned', 'staged'] as const

export function createDeploymentNodes({ store, secrets, channel, wake }: DeploymentNodesOptions): DeploymentNodes {
  const sendDesired = async (nodeId: number) => {
    if (!channel.isConnected(nodeId)) return
    for (const { kind, generation, payload, rolesGranted } of await store.desiredOf(nodeId)) {
      const desired = JSON.parse(secrets.open('desired-state', payload)) as DesiredState
      const isGranted = rolesGranted.includes(deploymentKinds[kind].grant)
      const fault = isGranted ? unknownFields(channel.agentOf(nodeId), desired) : notGranted(kind)
      if (fault === undefined) channel.send(nodeId, { type: 'desired', generation, desired })
      else await failUnsent(nodeId, kind, generation, fault)
    }
  }
  /**
   * The role was revoked, or the agent was upgraded or downgraded, since the generation was created. It is sent once the role
   * is granted, and the agent knows its fields.
   */
  const failUnsent = async (nodeId: number, kind: DeploymentKind, generation: number, message: string) => {
    await store.transaction(async (tx) => {
      const state = await store.findForUpdate(tx, nodeId, kind)
      if (state?.desired !== generation || state.inForce === generation) return
      const { inForce: in_force } = state
      await applyOutcome(tx, store, nodeId, { kind, generation, outcome: 'failed', in_force, message })
    })
    wake()
  }
  return {
    fault: (nodeId, payload) => unknownFields(channel.agentOf(nodeId), JSON.parse(payload) as DesiredState),
    sendDesired,
    progressed: (nodeId, { kind, generation, state }) =>
      store.transaction(async (tx) => {
        await store.findForUpdate(tx, nodeId, kind) // two words of a node in quick succession take turns
        for (const target of await store.findTargets(tx, nodeId, kind, generation))
          if (phases.indexOf(state) > phases.indexOf(target.state as 'waiting'))
            await store.updateTarget(tx, target.jobId, nodeId, { state })
      }),
    async applied(nodeId, message) {
      const raised = await store.transaction((tx) => applyOutcome(tx, store, nodeId, message))
      if (raised) await sendDesired(nodeId)
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

type Ended = Pick<AppliedMessage, 'kind' | 'generation' | 'outcome' | 'partly' | 'in_force' | 'message'>

/** True when a new generation was created, which must be sent. */
async function applyOutcome(tx: Transaction, store: StateStore, nodeId: number, reported: Ended): Promise<boolean> {
  const { kind, generation, outcome, in_force: inForce, message } = reported
  const state = await store.findForUpdate(tx, nodeId, kind)
  if (state !== undefined && generation > state.desired) return catchUp(tx, store, nodeId, state, reported)
  // Ignore answers to superseded generations, but acknowledge them.
  if (state?.desired !== generation) return false
  await store.setOutcome(tx, nodeId, kind, outcomeOf(reported))
  // What drifted, did so from the generation before; the same answer again says nothing about it.
  if (state.inForce !== inForce) await store.setDrift(tx, nodeId, kind, [])
  for (const { jobId } of await store.findTargets(tx, nodeId, kind, generation))
    await store.updateTarget(tx, jobId, nodeId, { state: outcome, message, answered: true })
  await store.refreshNode(tx, nodeId)
  return false
}

/**
 * The node has seen more generations than the database knows, as after a backup was restored. Its numbers go on from there;
 * what was asked for since the restore and is not answered for gets the next one.
 */
async function catchUp(
  tx: Transaction,
  store: StateStore,
  nodeId: number,
  { desired, outcome: known }: NodeDeploymentState,
  reported: Ended,
): Promise<boolean> {
  const { kind, generation } = reported
  const targets = await store.findTargets(tx, nodeId, kind, desired)
  const payload = known === null ? await store.findPayload(tx, nodeId, kind, desired) : undefined
  await store.setDesired(tx, nodeId, kind, generation)
  await store.setOutcome(tx, nodeId, kind, outcomeOf(reported))
  await store.setDrift(tx, nodeId, kind, [])
  if (payload !== undefined) {
    const next = await store.raise(tx, nodeId, kind, new Uint8Array(payload))
    const update = next === undefined ? { state: 'failed', message: usedUp, answered: true } : { generation: next }
    for (const { jobId } of targets) await store.updateTarget(tx, jobId, nodeId, update)
  }
  await store.refreshNode(tx, nodeId)
  return payload !== undefined
}

function outcomeOf({ outcome, partly, in_force: inForce, message }: Ended) {
  return { outcome: partly === true ? 'partly' : outcome, inForce, message }
}
