import type {
  AppliedMessage,
  Confirmation,
  DeploymentKind,
  DesiredMessage,
  DesiredState,
  DriftMessage,
  ProgressMessage,
} from '@roost/api-types/agent'
import type { NodeChannel } from '../agents/requests.js'
import { cannotConfirm, unknownFields } from '../agents/unknown-fields.js'
import type { Transaction } from '../database/transaction.js'
import type { Log } from '../lifecycle/log.js'
import { SecretError } from '../secrets/secrets.js'
import type { Secrets } from '../secrets/secrets.js'
import { logFailure } from '../services/errors.js'
import { deploymentKinds, notGranted } from './kinds.js'
import type { DesiredGeneration, NodeDeploymentState, StateStore } from './state-store.js'
import type { OpenTarget } from './target-store.js'

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
  /** Returns why the node's agent cannot return by itself from a generation that is not confirmed; undefined as above. */
  confirmFault(nodeId: number): string | undefined
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
  /** As that of the store. */
  readonly askAgain: StateStore['askAgain']
}

/** Only a node that reports a number which it never counted up to comes here. */
export const usedUp =
  'The node has used up its generation numbers. Remove the node, delete the state directory of its agent, and enroll the machine again.'

const phases = ['waiting', 'planned', 'staged'] as const

/** Returns true for a target that has not reported this phase. One that has ended, and waits for a confirmation, has. */
function isBehind(target: string, phase: ProgressMessage['state']): boolean {
  const reported = phases.indexOf(target as 'waiting')
  return reported !== -1 && phases.indexOf(phase) > reported
}

export function createDeploymentNodes(given: DeploymentNodesOptions): DeploymentNodes {
  const { store, channel, wake } = given
  const { sendDesired, resend } = createSending(given)
  return {
    isConnected: (nodeId) => channel.isConnected(nodeId),
    mayReconnect: (nodeId) => channel.mayReconnect(nodeId),
    fault: (nodeId, payload) => unknownFields(channel.agentOf(nodeId), JSON.parse(payload) as DesiredState),
    confirmFault: (nodeId) => cannotConfirm(channel.agentOf(nodeId)),
    askAgain: (tx, nodeId) => store.askAgain(tx, nodeId),
    sendDesired,
    resend,
    progressed: (nodeId, { kind, generation, state }) =>
      store.transaction(async (tx) => {
        await store.findForUpdate(tx, nodeId, kind) // two words of a node in quick succession take turns
        for (const target of await store.findTargets(tx, nodeId, kind, generation))
          if (isBehind(target.state, state)) await store.updateTarget(tx, target.jobId, nodeId, { state })
      }),
    async applied(nodeId, message) {
      const raised = await store.transaction((tx) => applyOutcome(tx, store, nodeId, message))
      if (raised) await sendDesired(nodeId)
      wake()
    },
    drifted: (nodeId, { kind, in_force: inForce, items }) =>
      store.transaction(async (tx) => {
        const state = await store.findForUpdate(tx, nodeId, kind)
        if (state?.inForce !== inForce || state.isLeftOut) return
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
      logFailure(log, error, 'could not send the desired state to the node, retrying', { nodeId })
    }
  }
  const sendGeneration = async (nodeId: number, stored: DesiredGeneration) => {
    const { kind, generation } = stored
    const read = readDesired(given, nodeId, stored)
    if ('desired' in read) channel.send(nodeId, { type: 'desired', generation, ...read })
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
  { kind, payload, rolesGranted, ...confirmation }: DesiredGeneration,
): Pick<DesiredMessage, 'desired' | 'confirm'> | { readonly fault: string } {
  if (!rolesGranted.includes(deploymentKinds[kind].grant)) return { fault: notGranted(kind) }
  try {
    const open = (sealed: Uint8Array) => JSON.parse(secrets.open('desired-state', sealed)) as DesiredState
    const [desired, agent] = [open(payload), channel.agentOf(nodeId)]
    const confirm = confirmationOf(confirmation, open)
    const fault = unknownFields(agent, desired) ?? (confirm === null ? undefined : cannotConfirm(agent))
    return fault === undefined ? { desired, ...(confirm === null ? {} : { confirm }) } : { fault }
  } catch (error) {
    if (!(error instanceof SecretError)) throw error
    return { fault: `${error.message} Until then the node keeps its current configuration.` }
  }
}

/** Returns null for a generation that needs no confirmation, or to whose former one nothing can return any more. */
function confirmationOf(
  { confirmWithinS, former, formerPayload }: Pick<DesiredGeneration, 'confirmWithinS' | 'former' | 'formerPayload'>,
  open: (sealed: Uint8Array) => DesiredState,
): Confirmation | null {
  if (confirmWithinS === null || former === null || formerPayload === null) return null
  return { within_s: confirmWithinS, former: { generation: former, desired: open(formerPayload) } }
}

type Ended = Pick<AppliedMessage, 'kind' | 'generation' | 'outcome' | 'partly' | 'unconfirmed' | 'in_force' | 'message'>

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
    await store.updateTarget(tx, jobId, nodeId, {
      state: outcome,
      message,
      answered,
      unconfirmed: reported.unconfirmed === true,
    })
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
  { desired, outcome: known, isLeftOut }: NodeDeploymentState,
  reported: Ended,
): Promise<boolean> {
  const { kind, generation } = reported
  const targets = await store.findTargets(tx, nodeId, kind, desired)
  // The former generation is known only to the database as it was before the restore, so that no agent could return to it.
  const unconfirmable = targets.some(({ confirmWithinS }) => confirmWithinS !== null)
  const isAsked = known === null && !unconfirmable && !isLeftOut
  const payload = isAsked ? await store.findPayload(tx, nodeId, kind, desired) : undefined
  await store.setDesired(tx, nodeId, kind, generation)
  await store.setOutcome(tx, nodeId, kind, outcomeOf(reported))
  await store.setDrift(tx, nodeId, kind, [])
  if (payload !== undefined) {
    const next = await store.raise(tx, nodeId, kind, new Uint8Array(payload))
    const update = next === undefined ? { state: 'failed', message: usedUp, answered: true } : { generation: next }
    for (const { jobId } of targets) await store.updateTarget(tx, jobId, nodeId, update)
  }
  if (unconfirmable) await failUnconfirmable(tx, store, nodeId, targets)
  await store.refreshNode(tx, nodeId)
  return payload !== undefined
}

async function failUnconfirmable(
  tx: Transaction,
  store: StateStore,
  nodeId: number,
  targets: readonly OpenTarget[],
): Promise<void> {
  const message =
    'The database was restored from a backup that is older than the generation of this node. Deploy again.'
  const update = { state: 'failed', message, answered: true, unconfirmed: false }
  for (const { jobId } of targets) await store.updateTarget(tx, jobId, nodeId, update)
}

function outcomeOf({ outcome, partly, in_force: inForce, message }: Ended) {
  return { outcome: partly === true ? 'partly' : outcome, inForce, message }
}
