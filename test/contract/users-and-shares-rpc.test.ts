import { createClient } from '@roost/api-types'
import { beforeEach, expect, it } from 'vitest'
import { addCluster } from '../support/agents/fleet-rows.js'
import { shareApi, shareClient } from '../support/http/shared-api.js'

const password = 'correct-horse-battery-staple'
const server = shareApi()
const client = shareClient(server)
let cluster = 0
let node = 0
beforeEach(async () => {
  cluster = await addCluster(server.api.database)
  node = await server.addGateway(cluster)
})

it('the typed client does to users what REST does, and sees no more', async () => {
  const { users } = client.rpc
  const made = await users.create.mutate({ cluster, user: 'bob', password })
  expect(made).toEqual({ ...(await server.get(made.resource_uri)).body, password, s3_access_key: 'bob:bob' })
  const { password: _, s3_access_key: _key, ...record } = made
  expect(await users.get.query({ id: made.id })).toEqual(record)
  expect(await users.list.query({ filters: { cluster } })).toEqual({ objects: [record], total: 1 })
  expect(await users.change.mutate({ id: made.id, change: { enabled: false } })).toEqual({ ...record, enabled: false })
  await users.remove.mutate({ id: made.id })
  await expect(users.get.query({ id: made.id })).rejects.toMatchObject({ data: { httpStatus: 404 } })
})

it('the typed client does to shares what REST does, and sees no more', async () => {
  const { gatewayShares } = client.rpc
  const made = await gatewayShares.create.mutate({ node, name: 'docs', objectstore_container: 'c', protocol: 'cifs' })
  expect(made).toEqual((await server.get(made.resource_uri)).body)
  expect(await gatewayShares.list.query({ filters: { node, protocol: 'cifs' } })).toEqual({ objects: [made], total: 1 })
  const changed = await gatewayShares.change.mutate({ id: made.id, change: { cifs_create_mask: '0600' } })
  expect(changed).toEqual({ ...made, cifs_create_mask: '0600' })
  await gatewayShares.remove.mutate({ id: made.id })
  expect((await server.get(made.resource_uri)).status).toBe(404)
})

it('errors arrive with their code and the sentences of each field', async () => {
  const { users, gatewayShares } = client.rpc
  await users.create.mutate({ cluster, user: 'bob', password })
  await expect(users.create.mutate({ cluster, user: 'Bob', password })).rejects.toMatchObject({
    data: { code: 'BAD_REQUEST', fields: { user: [expect.stringContaining("already has a user 'bob'")] } },
  })
  await expect(users.create.mutate({ cluster, user: '-', password: 'short' })).rejects.toMatchObject({
    data: { fields: { password: ['Ensure this value has at least 20 characters.'], user: [expect.any(String)] } },
  })
  const bad = { cluster: 1.5, password: 5, enabled: 'yes' }
  const { body } = await server.post('/api/v1/users/', bad)
  await expect(users.create.mutate(bad as never)).rejects.toMatchObject({ data: { fields: body.users } })
  await expect(users.change.mutate({ id: 999_999, change: { enabled: false } })).rejects.toMatchObject({
    data: { code: 'NOT_FOUND' },
  })
  const { id } = await gatewayShares.create.mutate({ node, name: 'docs', objectstore_container: 'c' })
  await expect(gatewayShares.change.mutate({ id, change: { name: 'global', upload_delay: -1 } })).rejects.toMatchObject(
    {
      data: { code: 'BAD_REQUEST', fields: { name: [expect.any(String)], upload_delay: [expect.any(String)] } },
    },
  )
})

it('an operator who may only read is refused every write', async () => {
  const { url, ca } = server.api
  const reader = createClient({ url, ca, apiKey: await server.api.addOperator({ role: 'read_only' }) })
  await expect(reader.rpc.users.create.mutate({ cluster, user: 'eve', password })).rejects.toMatchObject({
    data: { code: 'FORBIDDEN' },
  })
  expect(await reader.rpc.users.list.query({ filters: { cluster } })).toEqual({ objects: [], total: 0 })
  await reader.close()
})
