import type { DeploymentKind } from '@roost/api-types/agent'
import { unfinishedStates } from '@roost/api-types/rest'
import type { NodePlan } from '@roost/api-types/rest'
import type { Prisma } from '@roost/database'
import type { Transaction } from '../database/transaction.js'

export interface TargetUpdate {
  readonly state?: string
  readonly message?: string
  readonly begun?: boolean
  readonly answered?: boolean
  readonly unconfirmed?: boolean
  readonly generation?: number
  readonly attempts?: number | { readonly increment: number }
  readonly plan?: NodePlan
  readonly planMark?: string
}

/** A target of an unfinished job. */
export interface OpenTarget {
  readonly jobId: number
  readonly state: string
  /** Of its job; null if that needs no confirmation. */
  readonly confirmWithinS: number | null
}

const open = [{ state: { in: ['waiting', 'planned', 'staged'] } }, { unconfirmed: true }]

/** Changes a target that has not ended, or that waits for a confirmation. A target that has ended never changes again. */
export async function updateTarget(tx: Transaction, jobId: number, nodeId: number, { plan, ...update }: TargetUpdate) {
  const data = plan === undefined ? update : { ...update, plan: plan as unknown as Prisma.InputJsonObject }
  await tx.jobTarget.updateMany({ where: { jobId, nodeId, OR: open }, data })
}

/** The unfinished targets that wait for this generation of the node, or for its confirmation. */
export function findTargets(
  tx: Transaction,
  nodeId: number,
  kind: DeploymentKind,
  generation: number,
): Promise<readonly OpenTarget[]> {
  return tx.$queryRaw`
    select t.job_id as "jobId", t.state, j.confirm_within_s as "confirmWithinS" from job_targets t join jobs j on j.id = t.job_id
    where t.node_id = ${nodeId} and t.generation = ${generation} and j.kind = ${kind}
      and j.state = any(${[...unfinishedStates]})
      and (t.unconfirmed or t.state in ('waiting', 'planned', 'staged')) order by t.job_id`
}
