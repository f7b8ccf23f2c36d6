import type { Database } from '../database/database.js'
import type { AskProxies } from '../services/proxies.js'
import type { Proxy } from './proxy-candidates.js'
import { readProxies } from './proxies-store.js'

export interface AdoptionStore {
  /** Undefined when there is no such cluster. */
  find(clusterId: number): Promise<AdoptingCluster | undefined>
}

export interface AdoptingCluster {
  readonly hasIdentity: boolean
  /** The nodes to whose proxies users are deployed. */
  readonly proxies: readonly Proxy[]
  /** What is adopted already: lines of tempauth, and `user/project` of Keystone. */
  readonly adopted: ReadonlySet<string>
}

export function createAdoptionStore({ prisma }: Database, askProxies: AskProxies): AdoptionStore {
  return {
    async find(clusterId) {
      const row = await prisma.cluster.findUnique({
        where: { id: clusterId },
        select: {
          identity: { select: { clusterId: true } },
          users: { select: { adoptedLine: true, adoptedIdentityUser: true, projectId: true } },
        },
      })
      if (row === null) return undefined
      const answers = row.identity === null ? await askProxies(clusterId) : new Map()
      const { targets } = await prisma.$transaction((tx) => readProxies(tx, clusterId, answers))
      const adopted = row.users.flatMap(({ adoptedLine, adoptedIdentityUser, projectId }) =>
        adoptedIdentityUser === null ? (adoptedLine ?? []) : `${adoptedIdentityUser}/${projectId}`,
      )
      return {
        hasIdentity: row.identity !== null,
        proxies: targets.toSorted((one, other) => (one.hostname < other.hostname ? -1 : 1)),
        adopted: new Set(adopted),
      }
    },
  }
}
