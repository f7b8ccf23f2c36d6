import type { Database } from '../../database/database.js'
import type { IdentityDriftStore } from './drift.js'

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
