import { RoostError } from '@roost/api-types/rest'
import type { ClusterIdentityInput } from '@roost/api-types/rest'
import type { ClusterIdentityService } from '@roost/api-types/rpc'
import { differences } from '../database/writes.js'
import type { Writes } from '../database/writes.js'
import type { Transaction } from '../database/transaction.js'
import type { Secrets } from '../secrets/secrets.js'
import { found } from '../services/errors.js'
import { fieldError } from '../services/field-errors.js'
import { findRole, missingRole, refusalOf } from './check.js'
import { openKeystone } from './keystone/client.js'
import type { IdentityServiceStore, IdentitySettings } from './service-store.js'

export interface IdentityServiceOptions {
  readonly store: IdentityServiceStore
  readonly writes: Writes
  readonly secrets: Secrets
  /** Throws `conflict` while a deployment of the cluster's users is unfinished. */
  readonly requireNoDeployment: (tx: Transaction, clusterId: number) => Promise<void>
  /** Reads the names of the projects in the Keystone that was set. */
  readonly readNames: (clusterId: number) => Promise<void>
}

const checkTimeoutMs = 10_000

/** The Keystone of each cluster that has one. */
export function createClusterIdentityService(options: IdentityServiceOptions): ClusterIdentityService {
  const { store, writes, secrets, requireNoDeployment } = options
  return {
    get: async (clusterId) => found(await store.find(clusterId)).identity,
    async set(clusterId, { key, ...input }, caller) {
      found(await store.find(clusterId))
      const settings = settingsOf(input)
      await checkLogin({ ...settings, key })
      const identity = await writes.run(caller, async (tx) => {
        const before = found(await store.findForUpdate(tx, clusterId)).identity
        await requireNoDeployment(tx, clusterId)
        const result = await store.upsert(tx, clusterId, { ...settings, key: secrets.seal('identity-key', key) })
        const isSame = before?.auth_url === result.auth_url && before.domain === result.domain
        if (!isSame) await store.forgetUsers(tx, clusterId)
        const changes = differences({ ...before }, { ...result, key }, ['key'])
        return { result, audit: { action: 'set_identity', resource: 'clusters', resourceId: clusterId, changes } }
      })
      await options.readNames(clusterId)
      return identity
    },
    unset: (clusterId, caller) =>
      writes.run(caller, async (tx) => {
        const before = found(await store.findForUpdate(tx, clusterId)).identity
        if (before === null) throw noIdentity()
        await requireNoDeployment(tx, clusterId)
        await store.delete(tx, clusterId)
        await store.forgetUsers(tx, clusterId)
        const changes = differences({ ...before, key: '' }, {}, ['key'])
        const audit = { action: 'unset_identity', resource: 'clusters', resourceId: clusterId, changes } as const
        return { result: undefined, audit }
      }),
  }
}

export function noIdentity(): RoostError {
  return new RoostError(
    'not_found',
    'This cluster has no identity service: its users are deployed to its proxies. Set one with "roost cluster set-identity".',
  )
}

function settingsOf(input: Omit<ClusterIdentityInput, 'key'>): IdentitySettings {
  return {
    authUrl: input.auth_url.replace(/\/$/, ''),
    user: input.user ?? null,
    userDomain: input.user_domain ?? null,
    project: input.project ?? null,
    projectDomain: input.project_domain ?? null,
    applicationCredentialId: input.application_credential_id ?? null,
    ca: input.ca ?? null,
    domain: input.domain,
    role: input.role,
    resellerRole: input.reseller_role,
  }
}

/** Logs in and reads the roles, so that a wrong setting is refused before anything is deployed. */
async function checkLogin(login: IdentitySettings & { readonly key: string }): Promise<void> {
  const missing: Record<string, string[]> = {}
  try {
    const options = { signal: new AbortController().signal, timeoutMs: checkTimeoutMs }
    const client = await openKeystone(login, options)
    for (const [field, name] of [
      ['role', login.role],
      ['reseller_role', login.resellerRole],
    ] as const)
      if ((await findRole(client, name)) === undefined) missing[field] = [missingRole(name)]
  } catch (error) {
    throw refusalOf(error)
  }
  if (Object.keys(missing).length > 0) throw fieldError(missing)
}
