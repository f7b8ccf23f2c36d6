import { createHash, randomBytes } from 'node:crypto'
import { RoostError } from '@roost/api-types/rest'
import type { TokenService } from '@roost/api-types/rpc'
import { differences } from '../database/writes.js'
import type { Writes } from '../database/writes.js'
import type { Clock } from '@roost/runtime'
import type { TokenStore } from './token-store.js'

const defaultTtlSeconds = 3_600

export interface TokenDeps {
  readonly store: TokenStore
  readonly writes: Writes
  readonly clock: Clock
  /** How nodes reach this control plane, such as `https://roost.example:8443`. */
  readonly publicUrl: () => string
  /** SHA-256 of the certificate authority that a new agent is to pin; null where it trusts the system's. */
  readonly caSha256: () => string | null
  /** Whether only this machine can reach the listener. */
  readonly isLoopbackOnly: () => boolean
}

export function createTokenService({
  store,
  writes,
  clock,
  publicUrl,
  caSha256,
  isLoopbackOnly,
}: TokenDeps): TokenService {
  return {
    async create({ cluster: clusterId, ttl_seconds = defaultTtlSeconds, uses = 1, roles: asked = [] }, caller) {
      const cluster = await store.clusterName(clusterId)
      if (cluster === undefined)
        throw new RoostError('invalid', `There is no cluster ${clusterId}.`, {
          fields: { cluster: [`There is no cluster ${clusterId}.`] },
        })
      const roles = [...new Set(asked)].toSorted()
      const token = newToken()
      const createdAt = new Date(clock.now())
      const expiresAt = new Date(clock.now() + ttl_seconds * 1000)
      const digest = new Uint8Array(createHash('sha256').update(token, 'utf8').digest())
      const expires = expiresAt.toISOString()
      const id = await writes.run(caller, async (tx) => {
        const result = await store.insert(tx, { clusterId, digest, usesLeft: uses, roles, createdAt, expiresAt })
        const changes = differences({}, { cluster, uses, roles, expires })
        return { result, audit: { action: 'create', resource: 'enrolment_tokens', resourceId: result, changes } }
      })
      return {
        id,
        cluster,
        expires,
        uses_left: uses,
        roles,
        token,
        lines: [enrollLine(publicUrl(), token, caSha256()), 'roost-agent run'],
        warning: isLoopbackOnly() ? loopbackWarning(publicUrl()) : null,
      }
    },
  }
}

/** 160 random bits, in characters that a shell leaves alone. */
function newToken(): string {
  return randomBytes(20).toString('hex')
}

function enrollLine(url: string, token: string, caSha256: string | null): string {
  const pin = caSha256 === null ? '' : ` --ca-sha256 ${caSha256}`
  return `roost-agent enroll --server ${url} --token ${token}${pin}`
}

function loopbackWarning(url: string): string {
  return `${url} answers on this machine alone. For other machines, start the control plane with ROOST_LISTEN=0.0.0.0:8443 and ROOST_PUBLIC_URL=https://its-name:8443.`
}
