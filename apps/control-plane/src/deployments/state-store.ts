import type { DeploymentKind, DriftedItem } from '@roost/api-types/agent'
import { maxGeneration } from '@roost/api-types/agent'
import { unfinishedStates } from '@roost/api-types/rest'
import type { ConfigState } from '@roost/api-types/rest'
import type { Prisma } from '@roost/database'
import type { Transaction } from '../database/transaction.js'
import type { Database } from '../database/database.js'
import { insertAuditEvent } from '../database/audit-event.js'
import { deploymentKinds } from './kinds.js'
import { findTargets, updateTarget } from './target-store.js'
import type { OpenTarget, TargetUpdate } from './target-store.js'

type Sealed = Uint8Array<ArrayBuffer>

/** How many generations are kept for each node and kind, to return to. */
const keptGenerations = 20

export interface NodeDeploymentState {
  readonly kind: DeploymentKind
  readonly desired: number
  readonly inForce: number
  readonly outcome: string | null
  readonly drift: readonly DriftedItem[]
  /** The last deployment to the cluster left the node out. */
  readonly isLeftOut: boolean
}

export interface Outcome {
  readonly inForce: number
  readonly outcome: string
  readonly message: string
}

export interface DesiredGeneration {
  readonly kind: DeploymentKind
  readonly generation: number
  readonly payload: Uint8Array
  /** The roles that the node has been granted. */
  readonly rolesGranted: readonly string[]
  /** Null: it needs no confirmation, or has it. */
  readonly confirmWithinS: number | null
  /** The generation to return to without a confirmation, if it is still stored. */
  readonly former: number | null
  readonly formerPayload: Uint8Array | null
}

/** The desired and the applied state of nodes. */
export interface StateStore {
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>
  unfinishedJobs(): Promise<readonly { readonly id: number; readonly kind: DeploymentKind }[]>
  ofNode(nodeId: number, tx?: Transaction): Promise<readonly NodeDeploymentState[]>
  findForUpdate(tx: Transaction, nodeId: number, kind: DeploymentKind): Promise<NodeDeploymentState | undefined>
  /**
   * The node's next generation with its sealed payload; undefined when its numbers are used up. With `confirmWithinS` the node
   * returns from it by itself, to the generation in force, unless it is confirmed.
   */
  raise(
    tx: Transaction,
    nodeId: number,
    kind: DeploymentKind,
    payload: Sealed,
    confirmWithinS?: number | null,
  ): Promise<number | undefined>
  findPayload(
    tx: Transaction,
    nodeId: number,
    kind: DeploymentKind,
    generation: number,
  ): Promise<Uint8Array | undefined>
  /** Whether an operator has granted the node the role of this kind. */
  isGranted(tx: Transaction, nodeId: number, kind: DeploymentKind): Promise<boolean>
  /** Generations that their nodes have not ended yet, or may have forgotten. */
  desiredOf(nodeId: number): Promise<readonly DesiredGeneration[]>
  /** Without a payload, which only the node has. */
  setDesired(tx: Transaction, nodeId: number, kind: DeploymentKind, generation: number): Promise<void>
  setOutcome(tx: Transaction, nodeId: number, kind: DeploymentKind, outcome: Outcome): Promise<void>
  /** Asks nothing of the node until its next generation, and forgets what differs there. */
  leaveOut(tx: Transaction, nodeId: number, kind: DeploymentKind): Promise<void>
  /** Asks the node again for the users that it was left out of. Returns true if it was. */
  askAgain(tx: Transaction, nodeId: number): Promise<boolean>
  setDrift(tx: Transaction, nodeId: number, kind: DeploymentKind, drift: readonly DriftedItem[]): Promise<void>
  /** The unfinished targets that wait for this generation of the node, or for its confirmation. */
  findTargets(tx: Transaction, nodeId: number, kind: DeploymentKind, generation: number): Promise<readonly OpenTarget[]>
  updateTarget(tx: Transaction, jobId: number, nodeId: number, update: TargetUpdate): Promise<void>
  /** Audits that the users of a generation came into force after their deployment: if that left out the node, or a part of it. */
  auditRevocation(tx: Transaction, nodeId: number, generation: number, wasPartly: boolean): Promise<void>
  /** Makes `config_state` of the node what its kinds say, and returns it. */
  refreshNode(tx: Transaction, nodeId: number): Promise<ConfigState>
}

export function createStateStore({ prisma }: Database): StateStore {
  return {
    transaction: (work) => prisma.$transaction(work),
    async unfinishedJobs() {
      // Those of an identity service concern no node.
      const where = { state: { in: [...unfinishedStates] }, identityTarget: { is: null } }
      const rows = await prisma.job.findMany({ select: { id: true, kind: true }, where, orderBy: { id: 'asc' } })
      return rows.map(({ id, kind }) => ({ id, kind: kind as DeploymentKind }))
    },
    async ofNode(nodeId, tx = prisma) {
      return (await tx.nodeDeployment.findMany({ where: { nodeId }, orderBy: { kind: 'asc' } })).map(stateOf)
    },
    async findForUpdate(tx, nodeId, kind) {
      await tx.$queryRaw`select 1 from node_deployments where node_id = ${nodeId} and kind = ${kind} for update`
      const row = await tx.nodeDeployment.findUnique({ where: { nodeId_kind: { nodeId, kind } } })
      return row === null ? undefined : stateOf(row)
    },
    raise,
    async findPayload(tx, nodeId, kind, generation) {
      const where = { nodeId_kind_generation: { nodeId, kind, generation } }
      return (await tx.generation.findUnique({ select: { payload: true }, where }))?.payload
    },
    isGranted,
    desiredOf: (nodeId) => desiredOf(prisma, nodeId),
    async setDesired(tx, nodeId, kind, desired) {
      await tx.nodeDeployment.update({ where: { nodeId_kind: { nodeId, kind } }, data: { desired } })
    },
    async setOutcome(tx, nodeId, kind, outcome) {
      await tx.nodeDeployment.update({ where: { nodeId_kind: { nodeId, kind } }, data: outcome })
    },
    setDrift,
    async leaveOut(tx, nodeId, kind) {
      const { count } = await tx.nodeDeployment.updateMany({
        where: { nodeId, kind },
        data: { isLeftOut: true, drift: [], driftSince: null },
      })
      if (count > 0) await refreshNode(tx, nodeId)
    },
    askAgain,
    findTargets,
    updateTarget,
    auditRevocation,
    refreshNode,
  }
}

async function setDrift(
  tx: Transaction,
  nodeId: number,
  kind: DeploymentKind,
  drift: readonly DriftedItem[],
): Promise<void> {
  const isNone = drift.length === 0
  const data = { drift: drift as unknown as Prisma.InputJsonArray, ...(isNone ? { driftSince: null } : {}) }
  await tx.nodeDeployment.update({ where: { nodeId_kind: { nodeId, kind } }, data })
  if (isNone) return
  await tx.nodeDeployment.updateMany({ where: { nodeId, kind, driftSince: null }, data: { driftSince: new Date() } })
}

async function refreshNode(tx: Transaction, nodeId: number): Promise<ConfigState> {
  const rows = await tx.nodeDeployment.findMany({ where: { nodeId } })
  const made = configState(rows.map(stateOf))
  const state = made === 'synced' && (await isPassedBy(tx, nodeId)) ? 'pending' : made
  await tx.node.update({ where: { id: nodeId }, data: { configState: state } })
  return state
}

async function askAgain(tx: Transaction, nodeId: number): Promise<boolean> {
  const where = { nodeId, kind: 'user_db', isLeftOut: true }
  const { count } = await tx.nodeDeployment.updateMany({ where, data: { isLeftOut: false } })
  if (count > 0) await refreshNode(tx, nodeId)
  return count > 0
}

/** Returns true if a deployment has left the node out since its users were deployed. */
async function isPassedBy(tx: Transaction, nodeId: number): Promise<boolean> {
  const found = await tx.$queryRaw<unknown[]>`
    select 1 from node_deployments d
    join generations g on g.node_id = d.node_id and g.kind = d.kind and g.generation = d.desired
    join job_left_out l on l.node_id = d.node_id
    join jobs j on j.id = l.job_id and j.kind = d.kind and not j.dry_run and j.created_at > g.created_at
    where d.node_id = ${nodeId} and d.kind = 'user_db' and not d.is_left_out limit 1`
  return found.length > 0
}

function desiredOf(prisma: Database['prisma'], nodeId: number): Promise<readonly DesiredGeneration[]> {
  return prisma.$queryRaw`
    select d.kind, g.generation, g.payload, n.roles_granted as "rolesGranted", g.confirm_within_s as "confirmWithinS",
           g.former, f.payload as "formerPayload"
    from node_deployments d
    join nodes n on n.id = d.node_id
    join generations g on g.node_id = d.node_id and g.kind = d.kind and g.generation = d.desired
    left join generations f on f.node_id = d.node_id and f.kind = d.kind and f.generation = g.former
    where d.node_id = ${nodeId} and not d.is_left_out`
}

async function auditRevocation(tx: Transaction, nodeId: number, generation: number, wasPartly: boolean): Promise<void> {
  const failed = { nodeId, generation, state: 'failed', job: { kind: 'user_db' } }
  if (!wasPartly && (await tx.jobTarget.count({ where: failed })) === 0) return
  const { uuid } = await tx.node.findUniqueOrThrow({ select: { uuid: true }, where: { id: nodeId } })
  await insertAuditEvent(tx, {
    operator: `agent ${uuid}`,
    keyId: null,
    address: '',
    requestId: '',
    action: 'revoke',
    resource: 'nodes',
    resourceId: nodeId,
    changes: { tokens: [null, `of users that generation ${generation} changed or removed`] },
  })
}

/** `pending` while what was asked for last is not in force, also when the node refused it. */
export function configState(states: readonly NodeDeploymentState[]): ConfigState {
  const asked = states.filter(({ desired, isLeftOut }) => desired > 0 && !isLeftOut)
  if (asked.length === 0) return 'unknown'
  if (asked.some(({ drift }) => drift.length > 0)) return 'drifted'
  const isSynced = ({ desired, inForce, outcome }: NodeDeploymentState) => desired === inForce && outcome !== 'partly'
  return asked.every(isSynced) ? 'synced' : 'pending'
}

async function isGranted(tx: Transaction, id: number, kind: DeploymentKind): Promise<boolean> {
  return (await tx.node.count({ where: { id, rolesGranted: { has: deploymentKinds[kind].grant } } })) > 0
}

async function raise(
  tx: Transaction,
  nodeId: number,
  kind: DeploymentKind,
  payload: Sealed,
  confirmWithinS: number | null = null,
): Promise<number | undefined> {
  const [row] = await tx.$queryRaw<{ readonly desired: number; readonly inForce: number }[]>`
    insert into node_deployments as d (node_id, kind, desired, updated_at) values (${nodeId}, ${kind}, 1, now())
    on conflict (node_id, kind) do update set desired = d.desired + 1, outcome = null, message = '', is_left_out = false, updated_at = now()
    where d.desired < ${maxGeneration}
    returning desired, in_force as "inForce"`
  if (row === undefined) return undefined
  const { desired: generation, inForce } = row
  const confirmation = confirmWithinS === null ? {} : { confirmWithinS, former: inForce }
  await tx.generation.create({ data: { nodeId, kind, generation, payload, ...confirmation } })
  const old = { lte: generation - keptGenerations, not: inForce }
  await tx.generation.deleteMany({ where: { nodeId, kind, generation: old } })
  return generation
}

function stateOf(row: {
  readonly kind: string
  readonly desired: number
  readonly inForce: number
  readonly outcome: string | null
  readonly drift: Prisma.JsonValue
  readonly isLeftOut: boolean
}): NodeDeploymentState {
  return { ...row, kind: row.kind as DeploymentKind, drift: row.drift as unknown as DriftedItem[] }
}
