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

const open = [{ state: { in: ['waiting', 'planned', 'staged'] } }, { unconfirmed: true }]

/** Changes a target that has not ended, or that waits for a confirmation. A target that has ended never changes again. */
export async function updateTarget(tx: Transaction, jobId: number, nodeId: number, { plan, ...update }: TargetUpdate) {
  const data = plan === undefined ? update : { ...update, plan: plan as unknown as Prisma.InputJsonObject }
  await tx.jobTarget.updateMany({ where: { jobId, nodeId, OR: open }, data })
}
