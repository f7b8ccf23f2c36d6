import { createClient } from '@roost/api-types'
import type { Client } from '@roost/api-types'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { startApi } from '../support/http/api.js'
import type { TestApi } from '../support/http/api.js'

let api: TestApi
let client: Client
let count = 0
const clients: Client[] = []
const clientOf = (apiKey: string) => {
  const made = createClient({ url: api.url, ca: api.ca, apiKey })
  clients.push(made)
  return made.rpc
}
beforeAll(async () => {
  api = await startApi()
  client = createClient({ url: api.url, ca: api.ca, apiKey: api.key })
})
afterAll(async () => {
  await Promise.all([client, ...clients].map((one) => one.close()))
  await api.stop()
})

let name = ''
beforeEach(() => {
  name = `operator ${(count += 1)}`
})
const make = (role: 'admin' | 'read_only' = 'read_only') => client.rpc.operators.create.mutate({ name, role })
const keyFor = (operator: number, more: { readonly ttl_seconds?: number; readonly label?: string } = {}) =>
  client.rpc.apiKeys.create.mutate({ operator, ...more })
const statusWith = async (credentials: string) =>
  (await api.get('/api/v1/clusters/', { authorization: `apikey ${credentials}` })).status
const audits = (resource: string, resourceId: number) =>
  api.database.prisma.auditEvent.findMany({ where: { resource, resourceId }, orderBy: { id: 'asc' } })

describe('an operator', () => {
  it('is made without a key, and may only read unless said', async () => {
    const made = await client.rpc.operators.create.mutate({ name })
    expect(made).toMatchObject({ name, role: 'read_only', enabled: true, keys: 0, last_used: null })
    expect(await client.rpc.operators.get.query({ id: made.id })).toEqual(made)
    expect((await client.rpc.operators.list.query({ filters: { name } })).objects).toEqual([made])
  })

  it('has a name of its own, that audit records could not take for Roost itself', async () => {
    await make()
    await expect(make()).rejects.toThrow(`An operator '${name}' already exists.`)
    for (const bad of [
      '',
      ' a',
      'a ',
      'a:b',
      'a\nb',
      'ä',
      'a\u202eb',
      'local',
      'Local',
      'agent',
      'agent 5f0c',
      'x'.repeat(65),
    ])
      await expect(client.rpc.operators.create.mutate({ name: bad })).rejects.toMatchObject({
        data: { code: 'BAD_REQUEST', fields: { name: [expect.any(String)] } },
      })
  })

  it('who may only read cannot make, change or remove operators and keys', async () => {
    const { id } = await make()
    const { credentials, id: keyId } = await keyFor(id)
    const { operators, apiKeys } = clientOf(credentials)
    const writes = [
      () => operators.create.mutate({ name: 'x' }),
      () => operators.change.mutate({ id, change: { role: 'admin' } }),
      () => operators.remove.mutate({ id }),
      () => apiKeys.create.mutate({ operator: id }),
      () => apiKeys.rotate.mutate({ id: keyId }),
      () => apiKeys.revoke.mutate({ id: keyId }),
    ]
    for (const write of writes) await expect(write()).rejects.toMatchObject({ data: { code: 'FORBIDDEN' } })
    expect((await operators.list.query({})).total).toBeGreaterThan(1)
  })

  it('loses access at once when disabled, and has it back when enabled', async () => {
    const { id } = await make()
    const { credentials } = await keyFor(id)
    expect(await statusWith(credentials)).toBe(200)
    await client.rpc.operators.change.mutate({ id, change: { enabled: false } })
    expect(await statusWith(credentials)).toBe(401)
    await client.rpc.operators.change.mutate({ id, change: { enabled: true } })
    expect(await statusWith(credentials)).toBe(200)
  })

  it('loses access at once when removed, keys and all', async () => {
    const { id } = await make()
    const { credentials } = await keyFor(id)
    expect(await statusWith(credentials)).toBe(200)
    await client.rpc.operators.remove.mutate({ id })
    expect(await statusWith(credentials)).toBe(401)
    await expect(client.rpc.operators.get.query({ id })).rejects.toMatchObject({ data: { code: 'NOT_FOUND' } })
  })

  it('who is the last enabled administrator cannot be disabled, demoted or removed', async () => {
    const [admin] = (await client.rpc.operators.list.query({ filters: { name: 'admin' } })).objects
    const id = admin?.id ?? 0
    const { id: other } = await make('admin')
    await client.rpc.operators.change.mutate({ id: other, change: { enabled: false } })
    const attempts = [
      () => client.rpc.operators.change.mutate({ id, change: { enabled: false } }),
      () => client.rpc.operators.change.mutate({ id, change: { role: 'read_only' } }),
      () => client.rpc.operators.remove.mutate({ id }),
    ]
    for (const attempt of attempts)
      await expect(attempt()).rejects.toThrow("'admin' is the last administrator: create another one first.")
    expect(await client.rpc.operators.get.query({ id })).toMatchObject({ role: 'admin', enabled: true })
  })

  it('of two administrators who remove each other at once, one stays', async () => {
    const [admin] = (await client.rpc.operators.list.query({ filters: { name: 'admin' } })).objects
    const id = admin?.id ?? 0
    const { id: other } = await make('admin')
    const change = { role: 'read_only' as const }
    onTestFinished(async () => {
      await api.database.prisma.operator.update({ where: { id }, data: { role: 'admin' } })
      api.context.authentication.forget()
    })
    const outcomes = await Promise.allSettled(
      [id, other].map((one) => client.rpc.operators.change.mutate({ id: one, change })),
    )
    expect(outcomes.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  })

  it('leaves an audit record of every write', async () => {
    const { id } = await make()
    await client.rpc.operators.change.mutate({ id, change: { role: 'admin' } })
    await client.rpc.operators.remove.mutate({ id })
    expect(await audits('operators', id)).toMatchObject([
      { action: 'create', operator: 'admin', changes: { name: [null, name], role: [null, 'read_only'] } },
      { action: 'change', changes: { role: ['read_only', 'admin'] } },
      { action: 'remove', changes: { name: [name, null] } },
    ])
  })
})

describe('a key', () => {
  it('is shown by the request that made it alone', async () => {
    const { id } = await make()
    const { credentials, ...key } = await keyFor(id, { label: 'laptop' })
    const secret = credentials.slice(name.length + 1)
    expect(credentials.startsWith(`${name}:`)).toBe(true)
    expect(secret).toMatch(/^[\w-]{32}$/)
    const listed = (await client.rpc.apiKeys.list.query({ filters: { operator: id } })).objects
    expect(listed).toEqual([key])
    expect(key).toMatchObject({ operator: id, operator_name: name, label: 'laptop', state: 'active', expires: null })
    expect(JSON.stringify([listed, await audits('api_keys', key.id)])).not.toContain(secret)
  })

  it('works beside others of its operator', async () => {
    const { id } = await make()
    const keys = [await keyFor(id), await keyFor(id)]
    for (const { credentials } of keys) expect(await statusWith(credentials)).toBe(200)
    expect(await client.rpc.operators.get.query({ id })).toMatchObject({ keys: 2 })
  })

  it('ends when it expires', async () => {
    const { id } = await make()
    const key = await keyFor(id, { ttl_seconds: 3600 })
    expect(Date.parse(key.expires ?? '') - Date.parse(key.created)).toBe(3_600_000)
    await api.database.prisma.apiKey.update({ where: { id: key.id }, data: { expiresAt: new Date(Date.now() - 1) } })
    expect(await statusWith(key.credentials)).toBe(401)
    expect((await client.rpc.apiKeys.list.query({ filters: { id: key.id } })).objects).toMatchObject([
      { state: 'expired' },
    ])
  })

  it('shows when it was last used', async () => {
    const { id } = await make()
    const key = await keyFor(id)
    expect(key.last_used).toBeNull()
    await statusWith(key.credentials)
    await expect.poll(async () => (await client.rpc.operators.get.query({ id })).last_used).toMatch(/^\d{4}-\d\d-\d\dT/)
  })

  it('when rotated works on beside the new one for the overlap', async () => {
    const { id } = await make()
    const old = await keyFor(id, { label: 'ci' })
    const before = Date.now()
    const next = await client.rpc.apiKeys.rotate.mutate({ id: old.id, rotation: { overlap_seconds: 600 } })
    const after = Date.now()
    expect(next).toMatchObject({ label: 'ci', operator: id, expires: null })
    for (const { credentials } of [old, next]) expect(await statusWith(credentials)).toBe(200)
    const [listed] = (await client.rpc.apiKeys.list.query({ filters: { id: old.id } })).objects
    const end = Date.parse(listed?.expires ?? '') - 600_000
    expect(end).toBeGreaterThanOrEqual(before)
    expect(end).toBeLessThanOrEqual(after)
    const [audit] = await audits('api_keys', next.id)
    expect(audit).toMatchObject({ action: 'rotate', changes: { replaces: [null, old.id] } })
  })

  it('when rotated without an overlap ends at once, also where it was used a moment before', async () => {
    const { id } = await make()
    const old = await keyFor(id)
    expect(await statusWith(old.credentials)).toBe(200)
    const next = await client.rpc.apiKeys.rotate.mutate({ id: old.id, rotation: { overlap_seconds: 0 } })
    expect([await statusWith(old.credentials), await statusWith(next.credentials)]).toEqual([401, 200])
  })

  it('when rotated does not outlive its own expiry, and the new one is good for as long as it was', async () => {
    const { id } = await make()
    const old = await keyFor(id, { ttl_seconds: 3600 })
    const next = await client.rpc.apiKeys.rotate.mutate({ id: old.id })
    const [listed] = (await client.rpc.apiKeys.list.query({ filters: { id: old.id } })).objects
    expect(listed?.expires).toBe(old.expires)
    expect(Date.parse(next.expires ?? '') - Date.parse(next.created)).toBe(3_600_000)
  })

  it('is not rotated twice into two, nor once it is revoked', async () => {
    const { id } = await make()
    const { id: keyId, credentials } = await keyFor(id)
    await client.rpc.apiKeys.revoke.mutate({ id: keyId })
    expect(await statusWith(credentials)).toBe(401)
    await expect(client.rpc.apiKeys.rotate.mutate({ id: keyId })).rejects.toMatchObject({ data: { code: 'CONFLICT' } })
    expect(await client.rpc.apiKeys.revoke.mutate({ id: keyId })).toMatchObject({ state: 'revoked' })
  })

  it('is not made for an operator that there is not', async () => {
    await expect(keyFor(999_999)).rejects.toMatchObject({
      data: { fields: { operator: ['There is no operator 999999.'] } },
    })
    await expect(keyFor(99_999_999_999)).rejects.toMatchObject({
      data: { code: 'BAD_REQUEST', fields: { operator: [expect.any(String)] } },
    })
  })
})
