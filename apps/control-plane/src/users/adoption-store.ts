import type { Database } from '../database/database.js'
import { divideProxies } from '../services/proxies.js'
import type { Proxy } from './proxy-candidates.js'

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

export function createAdoptionStore({ prisma }: Database): AdoptionStore {
  return {
    async find(clusterId) {
      const proxies = { enabled: true, role: { runsProxy: true }, rolesGranted: { has: 'runs_proxy' } }
      const row = await prisma.cluster.findUnique({
        where: { id: clusterId },
        select: {
          identity: { select: { clusterId: true } },
          nodes: {
            where: proxies,
            select: { id: true, hostname: true, proxyAuthentication: true },
            orderBy: [{ hostname: 'asc' }, { id: 'asc' }],
          },
          users: { select: { adoptedLine: true, adoptedIdentityUser: true, projectId: true } },
        },
      })
      if (row === null) return undefined
      const adopted = row.users.flatMap(({ adoptedLine, adoptedIdentityUser, projectId }) =>
        adoptedIdentityUser === null ? (adoptedLine ?? []) : `${adoptedIdentityUser}/${projectId}`,
      )
      return {
        hasIdentity: row.identity !== null,
        proxies: divideProxies(row.nodes).targets,
        adopted: new Set(adopted),
      }
    },
  }
}
