import { loginOfLine } from '@roost/api-types/agent'
import type { Database } from '../database/database.js'
import type { Secrets } from '../secrets/secrets.js'
import type { KeystoneLogin } from './keystone/login.js'

/** A user, and where its credentials are. */
export interface S3User {
  readonly name: string
  /** With which it logs in where it is in tempauth. */
  readonly login: string
  readonly clusterId: number
  /** The id in Keystone of a user who was adopted there. */
  readonly adoptedId: string | null
  /** Null before its first deployment to Keystone. */
  readonly projectId: string | null
  /** Null: it is in tempauth. */
  readonly identity: {
    readonly domain: string
    readonly owner: string
    /** Throws SecretError. */
    login(): KeystoneLogin
  } | null
}

export interface S3Store {
  find(userId: number): Promise<S3User | undefined>
}

export function createS3Store({ prisma }: Database, secrets: Secrets): S3Store {
  return {
    async find(id) {
      const row = await prisma.user.findUnique({
        select: {
          name: true,
          clusterId: true,
          projectId: true,
          adoptedLine: true,
          adoptedIdentityUser: true,
          cluster: { select: { uuid: true, identity: true } },
        },
        where: { id },
      })
      if (row === null) return undefined
      const { cluster, adoptedLine, adoptedIdentityUser: adoptedId, ...found } = row
      const ownLogin = adoptedLine === null ? `${found.name}:${found.name}` : loginOfLine(adoptedLine)
      const user = { ...found, login: ownLogin, adoptedId }
      if (cluster.identity === null) return { ...user, identity: null }
      const { key, domain, ...login } = cluster.identity
      return {
        ...user,
        identity: { domain, owner: cluster.uuid, login: () => ({ ...login, key: secrets.open('identity-key', key) }) },
      }
    },
  }
}
