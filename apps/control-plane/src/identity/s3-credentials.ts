import { resourceUri, RoostError } from '@roost/api-types/rest'
import type { CreatedS3Credential, S3Credentials } from '@roost/api-types/rest'
import type { Caller, S3CredentialService } from '@roost/api-types/rpc'
import type { Writes } from '../database/writes.js'
import { SecretError } from '../secrets/secrets.js'
import { found } from '../services/errors.js'
import type { TokenEndings } from './endings.js'
import { openKeystone } from './keystone/client.js'
import type { KeystoneClient } from './keystone/client.js'
import { createEc2Credential, listEc2Credentials, removeEc2Credential } from './keystone/ec2-credentials.js'
import { KeystoneError } from './keystone/errors.js'
import { KeystoneUser, ownerField } from './keystone/objects.js'
import type { S3Store, S3User } from './s3-store.js'

export interface S3CredentialOptions {
  readonly store: S3Store
  readonly writes: Writes
  readonly endings: Pick<TokenEndings, 'add'>
  readonly stopping: AbortSignal
}

const timeoutMs = 10_000

/** The keys with which users reach their accounts by S3. Those of Keystone are in Keystone alone. */
export function createS3Credentials(options: S3CredentialOptions): S3CredentialService {
  const { store, writes, endings } = options
  const open = async (userId: number) => openUser(options, found(await store.find(userId)))
  return {
    async list(userId) {
      const user = found(await store.find(userId))
      if (user.identity === null) return shown(userId, [user.login])
      if (user.projectId === null) return shown(userId, [])
      const { client, id } = await openUser(options, user)
      const known = await inKeystone(() => listEc2Credentials(client, id))
      return shown(userId, known.map(({ access_key: key }) => key).toSorted())
    },
    async create(userId, caller) {
      const { client, id, projectId } = await open(userId)
      const isCheck = caller.validateOnly === true
      const credential = isCheck
        ? { access_key: '', secret_key: '' }
        : await inKeystone(() => createEc2Credential(client, { id, projectId }))
      try {
        return await audited(writes, caller, userId, [null, credential.access_key], credential)
      } catch (error) {
        // Without a record of it no one would know the credential.
        if (!isCheck) await removeEc2Credential(client, credential.access_key).catch(() => {})
        throw error
      }
    },
    async reveal(userId, accessKey) {
      const { client, id } = await open(userId)
      return findKey(client, id, accessKey)
    },
    async remove(userId, accessKey, caller) {
      const { client, id, clusterId } = await open(userId)
      await findKey(client, id, accessKey)
      await audited(writes, caller, userId, [accessKey, null], undefined)
      await inKeystone(() => removeEc2Credential(client, accessKey))
      // A proxy may have cached it (`secret_cache_duration`).
      await endings.add(clusterId, [id])
    },
  }
}

function shown(userId: number, accessKeys: readonly string[]): S3Credentials {
  const user = resourceUri('users', userId)
  return { resource_uri: `${user}s3_credentials/`, user, access_keys: [...accessKeys] }
}

function audited<T>(
  writes: Writes,
  caller: Caller,
  userId: number,
  [before, after]: readonly [string | null, string | null],
  result: T,
): Promise<T> {
  const action = before === null ? 'create' : 'remove'
  const changes = { s3_access_key: [before, after] }
  return writes.run(caller, async () => ({
    result,
    audit: { action, resource: 'users', resourceId: userId, changes },
  }))
}

interface OpenUser {
  readonly client: KeystoneClient
  readonly clusterId: number
  /** Its id in Keystone. */
  readonly id: string
  readonly projectId: string
}

/** Logs in to the user's Keystone and finds it there. Throws where it is not. */
async function openUser({ stopping: signal }: S3CredentialOptions, user: S3User): Promise<OpenUser> {
  const { identity, projectId, name, clusterId, adoptedId } = user
  if (identity === null)
    throw new RoostError(
      'conflict',
      'The secret key of this user is its password: change that. Its users are in tempauth.',
    )
  if (projectId === null) throw notThere(name)
  return inKeystone(async () => {
    const client = await openKeystone(identity.login(), { signal, timeoutMs })
    if (adoptedId !== null) return { client, clusterId, id: adoptedId, projectId }
    const domains = await client.list(`/domains?name=${encodeURIComponent(identity.domain)}`, 'domains', KeystoneUser)
    const path = `/users?domain_id=${domains[0]?.id ?? ''}&name=${encodeURIComponent(name)}`
    const users = domains.length === 0 ? [] : await client.list(path, 'users', KeystoneUser)
    const known = users.find((one) => one.name === name && one[ownerField] === identity.owner)
    if (known === undefined) throw notThere(name)
    return { client, clusterId, id: known.id, projectId }
  })
}

async function findKey(client: KeystoneClient, id: string, accessKey: string): Promise<CreatedS3Credential> {
  const known = await inKeystone(() => listEc2Credentials(client, id))
  const one = known.find(({ access_key: key }) => key === accessKey)
  if (one === undefined) throw new RoostError('not_found', 'This user has no such access key.')
  return one
}

function notThere(name: string): RoostError {
  return new RoostError('conflict', `'${name}' is not in Keystone yet. Deploy the users of its cluster first.`)
}

/** Makes `unavailable` of what Keystone answered. */
export async function inKeystone<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof KeystoneError || error instanceof SecretError)
      throw new RoostError('unavailable', error.message)
    throw error
  }
}
