import type { IdentityState } from '@roost/api-types/rest'
import type { Database } from '../database/database.js'

/** How a Keystone was when it was compared. */
export interface ComparedIdentity {
  readonly state: IdentityState
  /** What differs, or why it could not be read; empty where it agrees. */
  readonly detail: string
  /** Stands for the users and settings with which it agreed last; null: it never did. */
  readonly syncedMark: string | null
  readonly checkedAt: Date
}

export interface IdentityDriftStore {
  /** Lists clusters whose Keystone was compared before `comparedBefore`, or could not be read before `failedBefore`; none while a deployment changes it. */
  listDue(comparedBefore: Date, failedBefore: Date): Promise<readonly number[]>
  findSyncedMark(clusterId: number): Promise<string | null>
  /** Does nothing for a cluster that has no identity service any more. */
  save(clusterId: number, compared: ComparedIdentity): Promise<void>
}

export function createIdentityDriftStore({ prisma }: Pick<Database, 'prisma'>): IdentityDriftStore {
  return {
    async listDue(comparedBefore, failedBefore) {
      const rows = await prisma.$queryRaw<{ readonly id: number }[]>`
        select cluster_id as id from identity_services i
        where (checked_at is null or checked_at <= ${comparedBefore} or (state = 'unreachable' and checked_at <= ${failedBefore}))
          and not exists (
            select from jobs j join identity_targets t on t.job_id = j.id
            where j.cluster_id = i.cluster_id and j.finished_at is null
          )
        order by cluster_id`
      return rows.map(({ id }) => id)
    },
    async findSyncedMark(clusterId) {
      const row = await prisma.identityService.findUnique({ where: { clusterId }, select: { syncedMark: true } })
      return row?.syncedMark ?? null
    },
    async save(clusterId, { state, detail, syncedMark, checkedAt }) {
      const data = { state, stateDetail: detail, syncedMark, checkedAt }
      await prisma.identityService.updateMany({ where: { clusterId }, data })
    },
  }
}
