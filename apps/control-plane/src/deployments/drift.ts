import { DeploymentKind, type DesiredState } from '@roost/api-types/agent'
import { resourceUri, RoostError } from '@roost/api-types/rest'
import type { ConfigState, Drift, DriftAction } from '@roost/api-types/rest'
import type { Caller, DriftService } from '@roost/api-types/rpc'
import type { Writes } from '../database/writes.js'
import type { AuditRecord, Transaction } from '../database/transaction.js'
import type { Secrets } from '../secrets/secrets.js'
import { adopted, adoptionsOf } from './adoption.js'
import type { AdoptShare } from './adoption.js'
import { notGranted } from './kinds.js'
import type { NodeDeploymentState, StateStore } from './state-store.js'

export interface DriftServiceOptions {
  readonly store: StateStore
  readonly writes: Writes
  readonly secrets: Secrets
  readonly adoptShare: AdoptShare
  /** Throws `not_found` where there is no such node. */
  readonly configStateOf: (nodeId: number) => Promise<ConfigState>
  readonly sendDesired: (nodeId: number) => Promise<void>
}

/** Shows what was changed on nodes without a deployment, and resolves it. */
export function createDriftService(options: DriftServiceOptions): DriftService {
  const { store, writes, configStateOf, sendDesired } = options
  return { get, resolve }

  async function get(nodeId: number): Promise<Drift> {
    const config_state = await configStateOf(nodeId)
    return driftOf(nodeId, config_state, await store.ofNode(nodeId))
  }

  async function resolve(nodeId: number, { action }: DriftAction, caller: Caller) {
    await configStateOf(nodeId)
    const answer = await writes.run(caller, async (tx) => {
      const drifted = await lockDrifted(store, tx, nodeId)
      if (drifted.length === 0) throw new RoostError('conflict', 'Nothing on this node has drifted.')
      const changes = { [action]: [null, drifted.map(({ kind }) => kind)] as const }
      for (const state of drifted) Object.assign(changes, await end(options, tx, nodeId, state, action))
      const configState = await store.refreshNode(tx, nodeId)
      const result = driftOf(nodeId, configState, await store.ofNode(nodeId, tx))
      return { result, audit: { action, resource: 'nodes', resourceId: nodeId, changes } }
    })
    await sendDesired(nodeId)
    return answer
  }
}

function driftOf(nodeId: number, config_state: ConfigState, states: readonly NodeDeploymentState[]): Drift {
  const kinds = states.map(({ kind, desired, inForce, drift }) => ({
    kind,
    generation: desired,
    applied_generation: inForce,
    items: drift.map(({ subject, message, diff, adoptable }) => ({
      subject,
      message,
      diff,
      adoptable: adoptable !== undefined,
    })),
  }))
  return { node: resourceUri('nodes', nodeId), config_state, kinds }
}

/** As they stay until the transaction ends: a deployment that ends meanwhile must not be undone by what was in force before. */
async function lockDrifted(
  store: StateStore,
  tx: Transaction,
  nodeId: number,
): Promise<readonly NodeDeploymentState[]> {
  const states: NodeDeploymentState[] = []
  for (const kind of DeploymentKind.options) {
    const state = await store.findForUpdate(tx, nodeId, kind)
    if (state !== undefined && state.drift.length > 0) states.push(state)
  }
  return states
}

/** Throws unless the last deployment has ended on the node, with a generation that is complete. */
async function requireSettled(
  store: StateStore,
  tx: Transaction,
  nodeId: number,
  { kind, desired, inForce, outcome }: Omit<NodeDeploymentState, 'drift' | 'isLeftOut'>,
): Promise<void> {
  if (outcome === null)
    throw new RoostError(
      'conflict',
      'The node has not applied the last deployment yet. Wait until this deployment has ended.',
    )
  if ((await store.findTargets(tx, nodeId, kind, desired)).length > 0)
    throw new RoostError(
      'conflict',
      'The last deployment of this node waits for its confirmation. Confirm it, or wait until the node has returned to its former generation.',
    )
  if (outcome === 'partly' && inForce !== desired)
    throw new RoostError(
      'conflict',
      'The last deployment reached only a part of the node, so no complete generation is in force. Deploy again.',
    )
}

/** Starts a new generation with the state in force, changed to what the node has if that is adopted. */
async function end(
  { store, secrets, adoptShare }: DriftServiceOptions,
  tx: Transaction,
  nodeId: number,
  { kind, desired, inForce, outcome, drift }: NodeDeploymentState,
  action: DriftAction['action'],
): Promise<AuditRecord['changes']> {
  if (!(await store.isGranted(tx, nodeId, kind))) throw new RoostError('conflict', notGranted(kind))
  await requireSettled(store, tx, nodeId, { kind, desired, inForce, outcome })
  const payload = await store.findPayload(tx, nodeId, kind, inForce)
  if (payload === undefined)
    throw new RoostError('conflict', 'The generation in force is no longer stored: start a new deployment.')
  const raise = async (next: Uint8Array<ArrayBuffer>) => ({
    [`${kind}.generation`]: [inForce, await store.raise(tx, nodeId, kind, next)] as const,
  })
  if (action === 'reapply') return raise(new Uint8Array(payload))
  const adoptions = adoptionsOf(drift)
  const changes: Record<string, AuditRecord['changes'][string]> = {}
  for (const { id, fields } of adoptions)
    for (const [field, values] of Object.entries(await adoptShare(tx, nodeId, id, fields)))
      changes[`gateway_shares/${id}.${field}`] = values
  const state = JSON.parse(secrets.open('desired-state', payload)) as DesiredState
  const raised = await raise(secrets.seal('desired-state', JSON.stringify(adopted(state, adoptions))))
  return { ...changes, ...raised }
}
