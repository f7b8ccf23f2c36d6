import { createClient } from '@roost/api-types'
import { createDesiredStorage } from '@roost/control-plane/dist/clusters/desired-storage-store.js'
import { createSecrets, loadSecretKeys } from '@roost/control-plane/dist/secrets/secrets.js'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { addCluster } from '../support/agents/fleet-rows.js'
import { shareApi, shareClient } from '../support/http/shared-api.js'

const server = shareApi()
const client = shareClient(server)
const login = { auth_url: 'http://swift.example:8080/auth/v1.0', user: 'test:tester', key: 'S3CR3T-of-storage' }
let id = 0
beforeEach(async () => {
  id = await addCluster(server.api.database)
})

const set = (more: object = {}) => client.rpc.clusters.setStorage.mutate({ id, ...login, ...more })
const shown = () => ({ cluster: `/api/v1/clusters/${id}/`, auth_url: login.auth_url, user: login.user })
const lastAudit = () => server.api.database.prisma.auditEvent.findFirst({ orderBy: { id: 'desc' } })

/** What a gateway of the cluster is sent. */
async function desired() {
  const node = await server.addGateway(id)
  const secrets = createSecrets(await loadSecretKeys(join(server.api.controlPlane.dataDir, 'secrets.key')))
  const { prisma } = server.api.database
  return prisma.$transaction((tx) => createDesiredStorage(secrets)(tx, node))
}

describe('the storage login of a cluster', () => {
  it('is null until it is set, and is shown without its key', async () => {
    expect(await client.rpc.clusters.storage.query({ id })).toBeNull()
    expect(await set()).toEqual(shown())
    expect(await client.rpc.clusters.storage.query({ id })).toEqual(shown())
  })

  it('reaches the gateways of its cluster, and no others', async () => {
    await set()
    expect(await desired()).toEqual(login)
    id = await addCluster(server.api.database)
    expect(await desired()).toBeNull()
  })

  it('is replaced by the next one', async () => {
    await set()
    await set({ key: 'another' })
    expect(await desired()).toEqual({ ...login, key: 'another' })
  })

  it('leaves one audit record, which hides the key', async () => {
    await set()
    const changes = { auth_url: [null, login.auth_url], user: [null, login.user], key: [null, '***'] }
    expect(await lastAudit()).toMatchObject({ action: 'set_storage', resource: 'clusters', resourceId: id, changes })
  })

  it('is refused with the field and the remedy, and never repeats the key', async () => {
    const faults = [
      [{ auth_url: 'ftp://swift.example' }, 'auth_url'],
      [{ auth_url: 'http://me:secret@swift.example/' }, 'auth_url'],
      [{ auth_url: 'http://swift.example/\nuser = root' }, 'auth_url'],
      [{ auth_url: 'http://' }, 'auth_url'],
      [{ user: 'test tester' }, 'user'],
      [{ user: '' }, 'user'],
      [{ key: 'S3CR3T\nauth = x' }, 'key'],
      [{ key: 'S3CR3T-%(HOME)s' }, 'key'],
      [{ key: '' }, 'key'],
    ] as const
    for (const [fault, field] of faults) {
      const error: unknown = await set(fault).catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({ data: { code: 'BAD_REQUEST', fields: { [field]: [expect.any(String)] } } })
      expect(JSON.stringify(error)).not.toContain('S3CR3T')
    }
    expect(await client.rpc.clusters.storage.query({ id })).toBeNull()
  })

  it('is forgotten when it is unset, which leaves one audit record that hides the key', async () => {
    await set()
    await client.rpc.clusters.unsetStorage.mutate({ id })
    expect(await client.rpc.clusters.storage.query({ id })).toBeNull()
    expect(await desired()).toBeNull()
    const changes = {
      cluster: [shown().cluster, null],
      auth_url: [login.auth_url, null],
      user: [login.user, null],
      key: ['***', null],
    }
    expect(await lastAudit()).toMatchObject({ action: 'unset_storage', resource: 'clusters', resourceId: id, changes })
    await expect(client.rpc.clusters.unsetStorage.mutate({ id })).rejects.toMatchObject({ data: { code: 'NOT_FOUND' } })
  })

  it('is not unset while enabled shares need it, unless forced', async () => {
    await set()
    const node = await server.addGateway(id)
    const share = await client.rpc.gatewayShares.create.mutate({
      name: 'docs',
      node,
      objectstore_container: 'docs',
      protocol: 'nfs',
      enabled: true,
    })
    await expect(client.rpc.clusters.unsetStorage.mutate({ id })).rejects.toMatchObject({
      message: '1 enabled share is mounted with this login. Disable or remove every such share first, or use force.',
      data: { code: 'CONFLICT' },
    })
    expect(await client.rpc.clusters.storage.query({ id })).toEqual(shown())
    await client.rpc.clusters.unsetStorage.mutate({ id, force: true })
    expect(await client.rpc.clusters.storage.query({ id })).toBeNull()

    await set()
    await client.rpc.gatewayShares.change.mutate({ id: share.id, change: { enabled: false } })
    await client.rpc.clusters.unsetStorage.mutate({ id })
    expect(await client.rpc.clusters.storage.query({ id })).toBeNull()
  })

  it('is of a cluster that is there', async () => {
    const missing = { data: { code: 'NOT_FOUND' } }
    await expect(client.rpc.clusters.unsetStorage.mutate({ id: 999_999 })).rejects.toMatchObject(missing)
    await expect(set({ id: 999_999 })).rejects.toMatchObject(missing)
    await expect(client.rpc.clusters.storage.query({ id: 999_999 })).rejects.toMatchObject(missing)
  })

  it('is not for operators who may only read to set or unset', async () => {
    const { url, ca } = server.api
    const reader = createClient({ url, ca, apiKey: await server.api.addOperator({ role: 'read_only' }) })
    const call = reader.rpc.clusters.setStorage.mutate({ id, ...login })
    await expect(call).rejects.toMatchObject({ data: { code: 'FORBIDDEN' } })
    const unset = reader.rpc.clusters.unsetStorage.mutate({ id })
    await expect(unset).rejects.toMatchObject({ data: { code: 'FORBIDDEN' } })
    await reader.close()
  })
})
