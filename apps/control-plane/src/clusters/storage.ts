import { X509Certificate } from 'node:crypto'
import { authVersionOf, fieldError, RoostError } from '@roost/api-types/rest'
import type { ClusterStorage, ClusterStorageInput } from '@roost/api-types/rest'
import type { ClusterStorageService } from '@roost/api-types/rpc'
import { differences } from '../database/writes.js'
import type { Writes } from '../database/writes.js'
import { found } from '../services/errors.js'
import type { Secrets } from '../secrets/secrets.js'
import type { ClusterStorageStore } from './storage-store.js'

export interface ClusterStorageOptions {
  readonly store: ClusterStorageStore
  readonly writes: Writes
  readonly secrets: Secrets
}

/** With what the gateways of each cluster mount its containers. */
export function createClusterStorageService({ store, writes, secrets }: ClusterStorageOptions): ClusterStorageService {
  return {
    get: async (clusterId) => found(await store.find(clusterId)).login,
    async set(clusterId, input, caller) {
      requireCertificates(input.ca)
      const { key } = input
      return writes.run(caller, async (tx) => {
        const before = found(await store.findForUpdate(tx, clusterId)).login
        const sealed = { ...completeLogin(input), key: secrets.seal('storage-key', key) }
        const result = await store.upsert(tx, clusterId, sealed)
        const changes = differences({ ...before }, { ...result, key }, ['key'])
        return { result, audit: { action: 'set_storage', resource: 'clusters', resourceId: clusterId, changes } }
      })
    },
    unset: (clusterId, caller, { force = false } = {}) =>
      writes.run(caller, async (tx) => {
        const before = found(await store.findForUpdate(tx, clusterId)).login
        if (before === null) throw noStorageLogin()
        const shares = force ? 0 : await store.countShares(tx, clusterId)
        if (shares > 0) throw new RoostError('conflict', stillNeeded(shares))
        await store.delete(tx, clusterId)
        const changes = differences({ ...before, key: '' }, {}, ['key'])
        return {
          result: undefined,
          audit: { action: 'unset_storage', resource: 'clusters', resourceId: clusterId, changes },
        }
      }),
  }
}

export function noStorageLogin(): RoostError {
  return new RoostError('not_found', 'This cluster has no storage login.')
}

/** Returns the login with every field: it replaces the one before as a unit. */
function completeLogin(input: ClusterStorageInput): Omit<ClusterStorage, 'cluster'> {
  const version = authVersionOf(input.auth_url)
  const project = orNull(input.project)
  return {
    auth_url: input.auth_url,
    auth_version: version,
    user: orNull(input.user),
    user_domain: orNull(input.user_domain),
    project,
    project_domain: orNull(input.project_domain) ?? (project === null ? null : orNull(input.user_domain)),
    region: orNull(input.region),
    interface: orNull(input.interface) ?? (version === 1 ? null : 'public'),
    application_credential_id: orNull(input.application_credential_id),
    application_credential_name: orNull(input.application_credential_name),
    ca: orNull(input.ca),
  }
}

function orNull<T>(value: T | null | undefined): T | null {
  return value ?? null
}

const certificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

function requireCertificates(ca: string | null | undefined): void {
  for (const [index, pem] of (ca?.match(certificate) ?? []).entries())
    try {
      void new X509Certificate(pem)
    } catch {
      throw fieldError({ ca: [`Certificate ${index + 1} is damaged. Copy the file of the authority again.`] })
    }
}

function stillNeeded(shares: number): string {
  const what = shares === 1 ? '1 enabled share is' : `${shares} enabled shares are`
  return `${what} mounted with this login. Disable or remove every such share first, or use force.`
}
