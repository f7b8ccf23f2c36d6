import { createClient } from '@roost/api-types'
import { createDesiredStorage } from '@roost/control-plane/dist/clusters/desired-storage-store.js'
import { createSecrets, loadSecretKeys } from '@roost/control-plane/dist/secrets/secrets.js'
import { join } from 'node:path'
import { rootCertificates } from 'node:tls'
import { beforeEach, describe, expect, it } from 'vitest'
import { addCluster } from '../support/agents/fleet-rows.js'
import { shareApi, shareClient } from '../support/http/shared-api.js'

const server = shareApi()
const client = shareClient(server)
const login = { auth_url: 'http://swift.example:8080/auth/v1.0', user: 'test:tester', key: 'S3CR3T-of-storage' }
const keystone = {
  auth_url: 'https://keystone.example:5000/v3',
  user: 'shares of docs',
  key: 'S3CR3T-of-storage',
  user_domain: 'Default',
  project: 'docs',
  region: 'RegionOne',
}
const ca = rootCertificates[0] ?? ''
let id = 0
beforeEach(async () => {
  id = await addCluster(server.api.database)
})

const set = (more: object = {}) => client.rpc.clusters.setStorage.mutate({ id, ...login, ...more })
/** Every field of a login that version 1 does not have. */
const unset = {
  user_domain: null,
  project: null,
  project_domain: null,
  region: null,
  interface: null,
  application_credential_id: null,
  application_credential_name: null,
  ca: null,
}
const shown = () => ({
  cluster: `/api/v1/clusters/${id}/`,
  auth_url: login.auth_url,
  auth_version: 1,
  user: login.user,
  ...unset,
})
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

  it('of Keystone has its project, domains, region and interface, and reaches gateways with them', async () => {
    const { key: _, ...visible } = keystone
    const keystoneShown = { ...shown(), ...visible, auth_version: 3, project_domain: 'Default', interface: 'public' }
    expect(await set(keystone)).toEqual(keystoneShown)
    expect(await client.rpc.clusters.storage.query({ id })).toEqual(keystoneShown)
    expect(await desired()).toEqual({
      ...keystone,
      auth_version: 3,
      project_domain: 'Default',
      interface: 'public',
    })
  })

  it('of Keystone is one by an application credential, by version 2, or with a private CA', async () => {
    const credential = { auth_url: keystone.auth_url, application_credential_id: '1f2e', key: 'secret of it' }
    expect(await set({ user: undefined, ...credential })).toMatchObject({
      ...unset,
      user: null,
      auth_url: credential.auth_url,
      application_credential_id: '1f2e',
      interface: 'public',
    })
    expect(await desired()).toEqual({ ...credential, auth_version: 3, user: '', interface: 'public' })
    const version2 = {
      auth_url: 'https://keystone.example:5000/v2.0/',
      user: 'shares',
      project: 'docs',
      interface: 'internal',
    }
    expect(await set(version2)).toMatchObject({ auth_version: 2, ...version2 })
    expect(await set({ ca })).toMatchObject({ auth_version: 1, ca })
    expect(await desired()).toEqual({ ...login, ca })
  })

  it('is replaced as a unit: no field of the one before is kept', async () => {
    await set(keystone)
    expect(await set()).toEqual(shown())
    expect(await desired()).toEqual(login)
  })

  it('of Keystone is refused with the field and the remedy where its fields do not fit together', async () => {
    const { user_domain: _, project: __, ...threeFields } = keystone
    const credential = { ...threeFields, user: undefined, application_credential_id: '1f2e' }
    const faults: readonly (readonly [object, Readonly<Record<string, RegExp>>])[] = [
      [
        threeFields,
        { user_domain: /needs the domain of the user, such as Default/, project: /application credential/ },
      ],
      [{ ...keystone, auth_version: 1 }, { auth_version: /Set auth_version to 3/ }],
      [{ ...keystone, auth_url: 'https://keystone.example:5000', auth_version: 3 }, { auth_url: /ends in \/v3/ }],
      [{ ...keystone, auth_url: 'https://keystone.example:5000' }, { project: /its URL, which ends in \/v3/ }],
      [{ ...keystone, auth_url: 'https://keystone.example:5000/v2.0' }, { user_domain: /Only version 3/ }],
      [{ ...credential, user: 'shares' }, { user: /id of an application credential is enough/ }],
      [{ ...credential, project: 'docs' }, { project_domain: /domain of the project/ }],
      [{ ...credential, project_domain: 'Default' }, { project: /project of this domain/ }],
      [{ ...keystone, interface: 'outer' }, { interface: /./ }],
      [{ ...keystone, project: 'docs\nkey = x' }, { project: /printable/ }],
      [{ ...keystone, region: ' x' }, { region: /blank/ }],
      [{ ...keystone, ca: 'no certificate' }, { ca: /PEM/ }],
      [{ ...keystone, ca: ca.replace('MII', 'AAA') }, { ca: /Certificate 1 is damaged/ }],
    ]
    for (const [fault, expected] of faults) {
      const error: unknown = await set(fault).catch((thrown: unknown) => thrown)
      const fields = Object.fromEntries(
        Object.entries(expected).map(([field, sentence]) => [
          field,
          expect.arrayContaining([expect.stringMatching(sentence)]),
        ]),
      )
      expect(error).toMatchObject({ data: { code: 'BAD_REQUEST', fields } })
      const answer = await server.post(`/api/v1/clusters/${id}/storage/`, { ...login, ...fault })
      expect(answer).toMatchObject({ status: 400, body: { clusters: fields } })
      expect(JSON.stringify(error) + answer.text).not.toContain(login.key)
    }
    expect(await client.rpc.clusters.storage.query({ id })).toBeNull()
  })

  it('is one sub-resource over REST: set, shown and removed', async () => {
    const path = `/api/v1/clusters/${id}/storage/`
    expect(await server.get(path)).toMatchObject({ status: 404, body: { error: 'This cluster has no storage login.' } })
    const { key, ...visible } = { ...login, ...keystone }
    const stored = { ...shown(), ...visible, auth_version: 3, project_domain: 'Default', interface: 'public' }
    const once = { 'idempotency-key': `storage-${id}` }
    for (const headers of [{}, once, once]) {
      const answer = await server.post(path, { ...visible, key }, headers)
      expect(answer).toMatchObject({ status: 202, body: stored })
      expect(answer.text).not.toContain(key)
    }
    expect((await server.get(path)).body).toEqual(stored)
    expect(await server.remove(path)).toMatchObject({ status: 204, text: '' })
    expect((await server.remove(path)).status).toBe(404)
    expect((await server.get('/api/v1/clusters/999999/storage/')).status).toBe(404)
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
