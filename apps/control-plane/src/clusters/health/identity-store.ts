import type { IdentityState } from '@roost/api-types/rest'
import type { Database } from '../../database/database.js'

/** The Keystone of a cluster, as it was when it was compared last. */
export interface JudgedIdentity {
  readonly url: string
  readonly state: IdentityState
  /** What differs, or why it could not be read: sentences. */
  readonly detail: string
  /** Null: it was not compared yet. */
  readonly checkedAt: Date | null
  /** Why the last deployment of users to it has failed; null: it has not. */
  readonly failure: string | null
}

export interface IdentityHealthStore {
  /** Undefined for a cluster without an identity service. */
  findIdentity(clusterId: number): Promise<JudgedIdentity | undefined>
}

export function createIdentityHealthStore(prisma: Database['prisma']): IdentityHealthStore {
  return {
    async findIdentity(clusterId) {
      // A deployment that was canceled before it began has changed nothing.
      const [found] = await prisma.$queryRaw<JudgedIdentity[]>`
        select i.auth_url as url, i.state, i.state_detail as detail, i.checked_at as "checkedAt", last.failure
        from identity_services i
        left join lateral (
          select case when t.state = 'applied' then null else t.message end as failure
          from jobs j join identity_targets t on t.job_id = j.id
          where j.cluster_id = i.cluster_id and not j.dry_run and j.finished_at is not null and t.begun
          order by j.id desc limit 1
        ) as last on true
        where i.cluster_id = ${clusterId}`
      return found
    },
  }
}
