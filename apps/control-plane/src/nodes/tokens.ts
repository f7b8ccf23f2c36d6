import { createHash, randomBytes } from 'node:crypto'
import { RoostError } from '@roost/api-types/rest'
import type { GrantableRole } from '@roost/api-types/rest'
import type { EnrollmentToken, EnrollmentTokenInput, TokenService } from '@roost/api-types/rpc'
import { differences } from '../database/writes.js'
import type { Writes } from '../database/writes.js'
import type { Clock } from '@roost/runtime'
import type { PreparedRole, TokenLines } from './token-lines.js'
import type { StoredToken, TokenStore } from './token-store.js'

const defaultTtlSeconds = 3_600

export interface TokenOptions {
  readonly store: TokenStore
  readonly writes: Writes
  readonly clock: Clock
  readonly lines: TokenLines
}

export function createTokenService({ store, writes, clock, lines }: TokenOptions): TokenService {
  return {
    async create(input, caller) {
      const {
        cluster: clusterId,
        ttl_seconds = defaultTtlSeconds,
        uses = 1,
        roles: asked = [],
        prepare = false,
      } = input
      if (prepare && asked.length === 0) throw nothingToPrepare()
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
      const answer = {
        cluster,
        expires,
        uses_left: uses,
        roles,
        token,
        ...(await lines(token, preparedRoles(input))),
      }
      return writes.run(caller, async (tx) => {
        const id = await store.insert(tx, { clusterId, digest, usesLeft: uses, roles, createdAt, expiresAt })
        const changes = differences({}, { cluster, uses, roles, expires })
        const audit = { action: 'create', resource: 'enrolment_tokens', resourceId: id, changes } as const
        return { result: { id, ...answer }, audit }
      })
    },
    ...issuedTokens({ store, writes, clock }),
  }
}

const shortNames = { runs_gateway: 'gateway', runs_proxy: 'proxy' } as const

function preparedRoles({ roles = [], prepare, prepare_storage }: EnrollmentTokenInput): readonly PreparedRole[] {
  const granted = [...new Set(roles)].toSorted().map((role) => shortNames[role])
  return [...(prepare === true ? granted : []), ...(prepare_storage === true ? (['storage'] as const) : [])]
}

function nothingToPrepare(): RoostError {
  const message = 'Choose the roles to prepare: gateway, proxy or storage.'
  return new RoostError('invalid', message, { fields: { prepare: [message] } })
}

/** Lists and revokes tokens. */
function issuedTokens({
  store,
  writes,
  clock,
}: Pick<TokenOptions, 'store' | 'writes' | 'clock'>): Pick<TokenService, 'list' | 'revoke'> {
  return {
    async list() {
      return (await store.listValid(new Date(clock.now()))).map(record)
    },
    async revoke(id, caller) {
      return writes.run(caller, async (tx) => {
        const removed = await store.removeValid(tx, id, new Date(clock.now()))
        if (removed === undefined) throw new RoostError('not_found', `There is no valid enrollment token ${id}.`)
        const { cluster, uses_left, roles, expires } = record(removed)
        const changes = differences({ cluster, uses: uses_left, roles, expires }, {})
        return {
          result: record(removed),
          audit: { action: 'revoke', resource: 'enrolment_tokens', resourceId: id, changes },
        }
      })
    },
  }
}

function record({ id, cluster, usesLeft, roles, expiresAt }: StoredToken): EnrollmentToken {
  return { id, cluster, expires: expiresAt.toISOString(), uses_left: usesLeft, roles: roles as GrantableRole[] }
}

/** 160 random bits, in characters that a shell leaves alone. */
function newToken(): string {
  return randomBytes(20).toString('hex')
}
