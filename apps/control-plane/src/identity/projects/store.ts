import type { Database } from '../../database/database.js'
import type { Secrets } from '../../secrets/secrets.js'
import type { ProjectStore } from './project-names.js'

export function createProjectStore(
  { prisma, pool }: Pick<Database, 'prisma' | 'pool'>,
  secrets: Secrets,
): ProjectStore {
  return {
    clusters: async () =>
      (await prisma.identityService.findMany({ select: { clusterId: true } })).map((row) => row.clusterId),
    async login(clusterId) {
      const row = await prisma.identityService.findUnique({ where: { clusterId } })
      return row === null ? undefined : { ...row, key: secrets.open('identity-key', row.key) }
    },
    async record(clusterId, projects) {
      // Only what differs is written: there may be thousands, and they rarely change.
      await pool.query(
        `update usage_accounts a set project_name = p.name
          from unnest($2::text[], $3::text[]) as p (id, name)
          where a.cluster_id = $1 and a.name = 'AUTH_' || p.id and a.project_name is distinct from p.name`,
        // PostgreSQL does not take NUL.
        [clusterId, projects.map(({ id }) => id), projects.map(({ name }) => name.replaceAll('\0', '\ufffd'))],
      )
    },
  }
}
