import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { addCluster } from '../support/agents/fleet-rows.js'
import { startListedStorage, storageKey } from '../support/gateway/listed-storage.js'
import type { ListedStorage } from '../support/gateway/listed-storage.js'
import { shareApi, shareClient } from '../support/http/shared-api.js'

const server = shareApi()
const client = shareClient(server)
let storage: ListedStorage
beforeAll(async () => {
  storage = await startListedStorage(['archive', 'docs', 'documents', 'docs-2'])
})
afterAll(() => storage.stop())

let cluster = 0
let path = ''
beforeEach(async () => {
  cluster = await addCluster(server.api.database)
  path = `/api/v1/clusters/${cluster}/containers/`
  Object.assign(storage, { logins: 0, listings: 0, status: 200 })
})

const setLogin = async (login: object = {}) => {
  const body = { auth_url: `${storage.origin}/${cluster}/auth/v1.0`, user: 'shares:gateway', key: storageKey, ...login }
  expect((await server.post(`/api/v1/clusters/${cluster}/storage/`, body)).status).toBe(202)
}
const namesOf = async (query = '') =>
  (await server.get(`${path}${query}`)).body.containers.map(({ name }: { name: string }) => name)

describe('the containers of a cluster', () => {
  it('are those of the storage login whose names begin with a text, by REST and by tRPC', async () => {
    await setLogin()
    const { status, body } = await server.get(`${path}?q=doc&limit=2`)
    expect([status, body]).toEqual([
      200,
      {
        cluster: `/api/v1/clusters/${cluster}/`,
        containers: [
          { name: 'docs', object_count: 3, bytes_used: 30 },
          { name: 'docs-2', object_count: 3, bytes_used: 30 },
        ],
        is_complete: false,
      },
    ])
    expect(await client.rpc.containers.list.query({ cluster, q: 'doc', limit: 2 })).toEqual(body)
    expect((await server.get(`${path}?q=doc`)).body.is_complete).toBe(true)
    expect(await namesOf()).toEqual(['archive', 'docs', 'docs-2', 'documents'])
  })

  it('are read by a project of Keystone, at the endpoint of its region', async () => {
    const project = { user_domain: 'Default', project: 'shares', region: 'two' }
    await setLogin({ auth_url: `${storage.origin}/v3`, user: 'gateways', ...project })
    expect(await namesOf('?q=arch')).toEqual(['archive'])
  })

  it('are asked for once in a while, with one token, until that has ended', async () => {
    await setLogin()
    await Promise.all(Array.from({ length: 5 }, () => namesOf('?q=docs')))
    await namesOf('?q=docu')
    expect(storage).toMatchObject({ logins: 1, listings: 2 })
    storage.token = 'token-2'
    expect(await namesOf('?q=arch')).toEqual(['archive'])
    expect(storage).toMatchObject({ logins: 2, listings: 3 })
  })

  it('are read by operators who may only read, with a key alone', async () => {
    await setLogin()
    const reader = await server.api.addOperator({ role: 'read_only' })
    expect((await server.get(path, { authorization: `apikey ${reader}` })).status).toBe(200)
    expect((await server.get(path, { authorization: null })).status).toBe(401)
  })
})

describe('without an answer of the storage', () => {
  const refusal = async () => {
    const { status, text, body } = await server.get(path)
    expect(text).not.toContain(storageKey)
    return [status, body.error]
  }

  it('the reason is reported, and never the login', async () => {
    expect(await refusal()).toEqual([404, expect.stringContaining('no storage login')])
    await setLogin({ key: 'another-key' })
    expect(await refusal()).toEqual([503, expect.stringContaining('rejected the storage login')])
    await setLogin({ auth_url: 'http://127.0.0.1:9/auth/v1.0' })
    expect(await refusal()).toEqual([503, expect.stringContaining('does not answer (ECONNREFUSED)')])
    await setLogin({ auth_url: `${storage.origin}/nothing` })
    expect(await refusal()).toEqual([503, expect.stringContaining('answered 404')])
    await setLogin()
    storage.status = 500
    expect(await refusal()).toEqual([503, expect.stringContaining('answered 500')])
    storage.status = 200
    expect((await refusal())[0]).toBe(200)
  })

  it('a question that no name can answer is refused', async () => {
    await setLogin()
    for (const query of [`q=${'x'.repeat(257)}`, 'q=%00', 'limit=x'])
      expect([query, (await server.get(`${path}?${query}`)).status]).toEqual([query, 400])
    expect((await server.get('/api/v1/clusters/999999/containers/')).status).toBe(404)
    expect(storage.listings).toBe(0)
  })
})
