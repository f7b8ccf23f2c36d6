import type { DeploymentKind } from '@roost/api-types/agent'
import { resourceUri, RoostError } from '@roost/api-types/rest'
import type { JobInput } from '@roost/api-types/rest'
import type { Transaction } from '../database/transaction.js'
import { isConflict } from '../database/database.js'
import type { Log } from '../lifecycle/log.js'
import { SecretError } from '../secrets/secrets.js'
import type { Secrets } from '../secrets/secrets.js'
import { isTemporary, logged, unknownRelation } from '../services/errors.js'
import { fieldError } from '../services/field-errors.js'
import type { JobStore, LockedJob, NewJob } from './job-store.js'
import { deploymentKinds, notGranted } from './kinds.js'
import { usedUp } from './nodes.js'
import type { DeploymentNodes } from './nodes.js'
import { notKept } from './payload.js'
import type { Payload, Payloads } from './payload.js'
import type { StateStore } from './state-store.js'
import type { ProxyAnswers } from '../services/proxies.js'

type Wanted = Pick<NewJob, 'nodeId' | 'clusterId' | 'targets' | 'leftOut'>

/** The targets of a deployment. Throws for unknown records, nodes without the role, and while another one is unfinished. */
export async function wantedTargets(
  tx: Transaction,
  store: JobStore,
  kind: DeploymentKind,
  input: JobInput,
  answers: ProxyAnswers,
): Promise<Wanted> {
  const { node, cluster = 0 } = input
  const wanted =
    node === undefined
      ? await ofCluster(tx, store, cluster, answers)
      : await ofNode(tx, store, kind, node, input.generation)
  const unfinished = await store.findUnfinished(tx, wanted.clusterId, wanted.nodeId)
  if (unfinished === undefined) return wanted
  const uri = resourceUri(deploymentKinds[kind].resource, unfinished)
  throw new RoostError('conflict', `A deployment for the same target is not finished: see ${uri}.`)
}

/** The resource URI of the target that the input names. */
export function targetUri({ node, cluster = 0 }: JobInput): string {
  return node === undefined ? resourceUri('clusters', cluster) : resourceUri('nodes', node)
}

async function ofNode(
  tx: Transaction,
  store: JobStore,
  kind: DeploymentKind,
  nodeId: number,
  generation: number | undefined,
): Promise<Wanted> {
  const node = await store.findNode(tx, nodeId)
  if (node === undefined) throw unknownRelation('nodes', nodeId)
  if (!node.hasRole)
    throw fieldError({
      node: [
        `The node ${node.hostname} is not a ${deploymentKinds[kind].nodes}. Set node_role.${deploymentKinds[kind].grant} of the node first.`,
      ],
    })
  if (!node.isGranted) throw fieldError({ node: [notGranted(kind)] })
  if (generation !== undefined && !(await store.hasGeneration(tx, nodeId, generation)))
    throw fieldError({
      generation: [`${notKept(generation)} Give a later generation, or none to deploy the current configuration.`],
    })
  return { nodeId, clusterId: node.clusterId, targets: [nodeId], leftOut: [] }
}

async function ofCluster(tx: Transaction, store: JobStore, clusterId: number, answers: ProxyAnswers): Promise<Wanted> {
  const found = await store.findTargets(tx, clusterId, answers)
  if (found === undefined) throw unknownRelation('clusters', clusterId)
  return { nodeId: null, clusterId, ...found }
}

/** What begins a target. */
export interface BeginOptions {
  readonly jobs: Readonly<Record<DeploymentKind, Pick<JobStore, 'updateTarget'>>>
  readonly store: Pick<StateStore, 'raise' | 'refreshNode' | 'findForUpdate' | 'findPayload'>
  readonly payloads: Payloads
  readonly nodes: Pick<DeploymentNodes, 'fault' | 'confirmFault' | 'isConnected'>
  readonly secrets: Pick<Secrets, 'seal'>
}

export interface TargetToBegin {
  readonly nodeId: number
  /** The payload of the reviewed plan. If it has changed, nothing is stored: the node is asked again. */
  readonly planned: string | undefined
}

/** Stores the generation that the node is to apply. Returns false if the target cannot be begun; its failure is stored. */
export async function beginTarget(
  { jobs, store, payloads, nodes, secrets }: BeginOptions,
  tx: Transaction,
  { id, kind, now, returnTo, confirmWithinS }: LockedJob,
  { nodeId, planned }: TargetToBegin,
): Promise<boolean> {
  const update = (change: object) => jobs[kind].updateTarget(tx, id, nodeId, change)
  const begun = { begun: true, attempts: 1 }
  if (now.dryRun) {
    await update(begun)
    return true
  }
  const wanted = await suitable(
    await payloads.read(tx, kind, nodeId, returnTo),
    async (payload) =>
      nodes.fault(nodeId, payload) ??
      (confirmWithinS === null ? undefined : unconfirmable({ nodes, store }, tx, nodeId, kind)),
  )
  if ('error' in wanted) {
    await update({ state: 'failed', message: wanted.error })
    return false
  }
  const { payload } = wanted
  if (planned !== undefined && planned !== payload) return false
  const generation = await store.raise(tx, nodeId, kind, secrets.seal('desired-state', payload), confirmWithinS)
  if (generation === undefined) {
    await update({ state: 'failed', message: usedUp })
    return false
  }
  const message = nodes.isConnected(nodeId) ? null : deploymentKinds[kind].notConnected
  await update({ ...begun, generation, ...(message === null ? {} : { state: 'failed', message }) })
  await store.refreshNode(tx, nodeId)
  return message === null
}

/** Returns why the node could not return by itself: its agent is not there, does not know how to, or has nothing to return to. */
async function unconfirmable(
  { nodes, store }: Pick<BeginOptions, 'nodes' | 'store'>,
  tx: Transaction,
  nodeId: number,
  kind: DeploymentKind,
): Promise<string | undefined> {
  const without = 'Deploy without confirm_within_s first.'
  if (!nodes.isConnected(nodeId))
    return 'This node is not connected. A deployment that must be confirmed is not sent later. Deploy again when its agent is connected.'
  const fault = nodes.confirmFault(nodeId)
  if (fault !== undefined) return fault
  const state = await store.findForUpdate(tx, nodeId, kind)
  if (state === undefined || state.inForce === 0)
    return `This node has no generation in force to which it could return. ${without}`
  if (state.outcome === 'partly')
    return `The last deployment reached only a part of the node, so that there is no complete generation to which it could return. ${without}`
  const payload = await store.findPayload(tx, nodeId, kind, state.inForce)
  return payload === undefined ? `${notKept(state.inForce)} ${without}` : undefined
}

/** Returns the error of a payload that the node's agent cannot apply in its place. */
async function suitable(read: Payload, faultOf: (payload: string) => Promise<string | undefined>): Promise<Payload> {
  const error = 'error' in read ? undefined : await faultOf(read.payload)
  return error === undefined ? read : { error }
}

/** Returns true unless the target would fail only because its agent is restarting and has not connected again yet. */
export function mayBegin(
  nodes: Pick<DeploymentNodes, 'isConnected' | 'mayReconnect'>,
  { kind, now, confirmWithinS }: LockedJob,
  nodeId: number,
): boolean {
  const failsAtOnce = deploymentKinds[kind].notConnected !== null || confirmWithinS !== null
  const mayWait = !now.dryRun && failsAtOnce
  return !mayWait || nodes.isConnected(nodeId) || !nodes.mayReconnect(nodeId)
}

/** Names the target that could not be begun. The error has ended the transaction, so the target fails in another one. */
class BeginError extends Error {
  readonly nodeId: number
  constructor(nodeId: number, cause: unknown) {
    super('could not begin a deployment on a node', { cause })
    this.nodeId = nodeId
  }
}

/** Returns the result of the work that begins a target; an error that would be repeated rejects with a BeginError. */
export async function beginning<T>(nodeId: number, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw isRetryable(error) ? error : new BeginError(nodeId, error)
  }
}

/** Returns true if a later attempt may succeed. */
function isRetryable(error: unknown): boolean {
  return isTemporary(error) || isConflict(error)
}

interface TargetFailuresOptions {
  readonly jobs: Readonly<Record<DeploymentKind, Pick<JobStore, 'updateTarget'>>>
  readonly store: Pick<StateStore, 'transaction'>
  readonly log: Log
}

type JobOfTarget = Pick<LockedJob, 'id' | 'kind'>

/** Fails targets after errors that would be repeated. */
export interface TargetFailures {
  /** Fails the target that the error of `beginning` names. Throws any other error. */
  afterBegin(job: JobOfTarget, error: unknown): Promise<void>
  /** Fails a target after an error in the background. Returns false if nothing was stored, which is logged with the message. Never rejects. */
  failUnlessRetryable(job: JobOfTarget, nodeId: number, error: unknown, message: string): Promise<boolean>
}

export function createTargetFailures({ jobs, store, log }: TargetFailuresOptions): TargetFailures {
  const fail = async ({ id, kind }: JobOfTarget, nodeId: number, error: unknown) => {
    log.error({ ...logged(error), job: id, nodeId }, 'could not begin a deployment on a node, recording it as failed')
    const update = { state: 'failed', message: cannotBegin(id, error) }
    await store.transaction((tx) => jobs[kind].updateTarget(tx, id, nodeId, update))
  }
  return {
    async afterBegin(job, error) {
      if (!(error instanceof BeginError)) throw error
      await fail(job, error.nodeId, error.cause)
    },
    async failUnlessRetryable(job, nodeId, error, message) {
      try {
        if (isRetryable(error)) throw error
        await fail(job, nodeId, error)
        return true
      } catch (unstored) {
        log.warn({ ...logged(unstored), job: job.id, nodeId }, message)
        return false
      }
    },
  }
}

/** Returns the message of a target that could not be begun. Internals are only in the log. */
function cannotBegin(jobId: number, error: unknown): string {
  if (error instanceof SecretError) return error.message
  return `An internal error prevented this change. Search the log of the control plane for job ${jobId}, fix the cause, and deploy again.`
}

/** Returns the message of a target whose time is over. */
export function silence({ now, confirmWithinS }: LockedJob, nodeId: number, targetTimeoutMs: number): string {
  if (now.targets.some((target) => target.nodeId === nodeId && target.unconfirmed))
    return `The node applied the change, and has not reported since. Without a confirmation within ${durationText(confirmWithinS ?? 0)} its agent returns it to the former generation by itself.`
  if (now.dryRun) return 'The node did not answer in time. Check its agent, and try again.'
  return `The node did not answer within ${durationText(targetTimeoutMs / 1000)}. It will apply the change when it is connected again.`
}

function durationText(seconds: number): string {
  return seconds % 60 === 0 ? `${seconds / 60} minutes` : `${seconds} seconds`
}
