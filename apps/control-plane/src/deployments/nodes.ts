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
import type { Log } from '../lifecycle/log.js'
import { SecretError } from '../secrets/secrets.js'
import type { Secrets } from '../secrets/secrets.js'
import { isTemporary, logged } from '../services/errors.js'
import { deploymentKinds, notGranted } from './kinds.js'
import type { DesiredGeneration, NodeDeploymentState, StateStore } from './state-store.js'

export interface DeploymentNodesOptions {
  readonly store: StateStore
  readonly secrets: Secrets
  readonly channel: NodeChannel
  /** Called when a target or node has changed, so that the runner looks at its jobs. */
  readonly wake: () => void
  readonly log: Pick<Log, 'warn' | 'error'>
}

/** The nodes' side of deployments: what is sent to agents, and what they report. */
export interface DeploymentNodes {
  isConnected(nodeId: number): boolean
  /** True while a node that is not connected may be reconnecting. */
  mayReconnect(nodeId: number): boolean
  /** Returns why the node's agent cannot apply a payload; undefined when it can, or is not connected. */
  fault(nodeId: number, payload: string): string | undefined
  /**
   * Sends the node's desired state; the node ignores what it has applied already. Never rejects: the node gets a stored
   * generation in any case, so an error is logged, and `resend` repeats it.
   */
  sendDesired(nodeId: number): Promise<void>
  /** Sends the desired states that could not be sent. Never rejects. */
  resend(): Promise<void>
  progressed(nodeId: number, message: ProgressMessage): Promise<void>
  applied(nodeId: number, message: AppliedMessage): Promise<void>
  drifted(nodeId: number, message: DriftMessage): Promise<void>
}

/** Only a node that reports a number which it never counted up to comes here. */
export const usedUp =
  'The node has used up its generation numbers. Remove the node, delete the state directory of its agent, and enroll the machine again.'

const phases = ['waiting', 'planned', 'staged'] as const

export function createDeploymentNodes(given: DeploymentNodesOptions): DeploymentNodes {
  const { store, channel, wake } = given
  const { sendDesired, resend } = createSending(given)
  return {
    isConnected: (nodeId) => channel.isConnected(nodeId),
    mayReconnect: (nodeId) => channel.mayReconnect(nodeId),
    fault: (nodeId, payload) => unknownFields(channel.agentOf(nodeId), JSON.parse(payload) as DesiredState),
    sendDesired,
    resend,
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

function createSending(given: DeploymentNodesOptions): Pick<DeploymentNodes, 'sendDesired' | 'resend'> {
  const { store, channel, wake, log } = given
  const unsent = new Set<number>()
  const sendDesired = async (nodeId: number) => {
    unsent.delete(nodeId)
    // A node without a session gets it when it connects.
    if (!channel.isConnected(nodeId)) return
    try {
      for (const desired of await store.desiredOf(nodeId)) await sendGeneration(nodeId, desired)
    } catch (error) {
      unsent.add(nodeId)
      const fields = { ...logged(error), nodeId }
      log[isTemporary(error) ? 'warn' : 'error'](fields, 'could not send the desired state to the node, retrying')
    }
  }
  const sendGeneration = async (nodeId: number, stored: DesiredGeneration) => {
    const { kind, generation } = stored
    const read = readDesired(given, nodeId, stored)
    if ('desired' in read) channel.send(nodeId, { type: 'desired', generation, desired: read.desired })
    else await failUnsent(nodeId, kind, generation, read.fault)
  }
  /**
   * The role was revoked, the agent was upgraded or downgraded, or the key was lost, since the generation was created. It is
   * sent once the role is granted, the agent knows its fields, and it can be decrypted.
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
    sendDesired,
    async resend() {
      // A copy: those that cannot be sent are added again.
      const nodeIds = [...unsent]
      for (const nodeId of nodeIds) await sendDesired(nodeId)
    },
  }
}

/** Returns a desired state, or why it cannot be sent. */
function readDesired(
  { secrets, channel }: Pick<DeploymentNodesOptions, 'secrets' | 'channel'>,
  nodeId: number,
  { kind, payload, rolesGranted }: DesiredGeneration,
): { readonly desired: DesiredState } | { readonly fault: string } {
  if (!rolesGranted.includes(deploymentKinds[kind].grant)) return { fault: notGranted(kind) }
  try {
    const desired = JSON.parse(secrets.open('desired-state', payload)) as DesiredState
    const fault = unknownFields(channel.agentOf(nodeId), desired)
    return fault === undefined ? { desired } : { fault }
  } catch (error) {
    if (!(error instanceof SecretError)) throw error
    return { fault: `${error.message} Until then the node keeps its current configuration.` }
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
  // A node that did its own part does not stop the others.
  const answered = reported.partly !== true
  for (const { jobId } of await store.findTargets(tx, nodeId, kind, generation))
    await store.updateTarget(tx, jobId, nodeId, { state: outcome, message, answered })
  await store.refreshNode(tx, nodeId)
  if (kind === 'user_db' && outcome === 'applied' && state.outcome !== 'applied')
    await store.auditRevocation(tx, nodeId, generation, state.outcome === 'partly')
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
