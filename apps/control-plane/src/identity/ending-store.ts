import { unfinishedStates } from '@roost/api-types/rest'
import type { Database } from '../database/database.js'
import { insertAuditEvent } from '../database/audit-event.js'

/** A user who lost rights in Keystone, by its id there. */
export interface Ending {
  readonly user: string
  readonly since: Date
}

export interface EndingStore {
  /** Records whose tokens have to be ended; a user who is recorded already gets the later time. */
  add(clusterId: number, users: readonly string[], since: Date): Promise<void>
  find(clusterId: number): Promise<readonly Ending[]>
  /** Removes what was recorded up to that time. With `audit`, it was done after its job had ended. */
  remove(clusterId: number, until: Date, audit: boolean): Promise<void>
  /** The clusters with users whose job has ended, but not their tokens. */
  clusters(): Promise<readonly number[]>
  /** The nodes that run a proxy of the cluster. */
  proxies(clusterId: number): Promise<readonly { readonly id: number; readonly hostname: string }[]>
}

export function createEndingStore({ prisma }: Database): EndingStore {
  return {
    async add(clusterId, users, since) {
      await prisma.$executeRaw`
        insert into identity_endings (cluster_id, identity_user_id, since)
        select ${clusterId}, u, ${since} from unnest(${[...users]}::text[]) u
        on conflict (cluster_id, identity_user_id) do update set since = excluded.since`
    },
    async find(clusterId) {
      const rows = await prisma.identityEnding.findMany({ where: { clusterId }, orderBy: { identityUserId: 'asc' } })
      return rows.map(({ identityUserId: user, since }) => ({ user, since }))
    },
    remove: (clusterId, until, audit) =>
      prisma.$transaction(async (tx) => {
        const { count } = await tx.identityEnding.deleteMany({ where: { clusterId, since: { lte: until } } })
        if (!audit || count === 0) return
        await insertAuditEvent(tx, {
          operator: 'control plane',
          keyId: null,
          address: '',
          requestId: '',
          action: 'revoke',
          resource: 'clusters',
          resourceId: clusterId,
          changes: { tokens: [null, `of ${count} users of Keystone whose rights were taken`] },
        })
      }),
    async clusters() {
      const unfinished = { state: { in: [...unfinishedStates] }, identityTarget: { isNot: null } }
      const where = { identityEndings: { some: {} }, jobs: { none: unfinished } }
      return (await prisma.cluster.findMany({ select: { id: true }, where })).map(({ id }) => id)
    },
    proxies: (clusterId) =>
      prisma.node.findMany({
        select: { id: true, hostname: true },
        where: { clusterId, enabled: true, role: { runsProxy: true } },
        orderBy: { id: 'asc' },
      }),
  }
}
