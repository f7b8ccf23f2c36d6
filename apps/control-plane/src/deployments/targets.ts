import type { DeploymentKind } from '@roost/api-types/agent'
import { resourceUri, RoostError } from '@roost/api-types/rest'
import type { JobInput } from '@roost/api-types/rest'
import type { Transaction } from '../database/transaction.js'
import { unknownRelation } from '../services/errors.js'
import { fieldError } from '../services/field-errors.js'
import type { JobStore, NewJob } from './job-store.js'
import { deploymentKinds, notGranted } from './kinds.js'
import { notKept } from './payload.js'

type Wanted = Pick<NewJob, 'nodeId' | 'clusterId' | 'targets'>

/** The targets of a deployment. Throws for unknown records, nodes without the role, and while another one is unfinished. */
export async function wantedTargets(
  tx: Transaction,
  store: JobStore,
  kind: DeploymentKind,
  input: JobInput,
): Promise<Wanted> {
  const { node, cluster = 0 } = input
  const wanted =
    node === undefined ? await ofCluster(tx, store, cluster) : await ofNode(tx, store, kind, node, input.generation)
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
  if (!node.hasRole) throw fieldError({ node: [`The node ${node.hostname} runs no ${deploymentKinds[kind].nodes}.`] })
  if (!node.isGranted) throw fieldError({ node: [notGranted(kind)] })
  if (generation !== undefined && !(await store.hasGeneration(tx, nodeId, generation)))
    throw fieldError({ generation: [`${notKept(generation)} Name a later one, or deploy what is wanted now.`] })
  return { nodeId, clusterId: node.clusterId, targets: [nodeId] }
}

async function ofCluster(tx: Transaction, store: JobStore, clusterId: number): Promise<Wanted> {
  const targets = await store.findTargets(tx, clusterId)
  if (targets === undefined) throw unknownRelation('clusters', clusterId)
  return { nodeId: null, clusterId, targets }
}
