import { beforeEach, describe, expect, it } from 'vitest'
import { addCluster } from '../support/agents/fleet-rows.js'
import { shareApi } from '../support/http/shared-api.js'

const list = '/api/v1/gateway_shares/'
const server = shareApi()
const { addGateway, get, patch, post, remove } = server

let nodeId = 0
beforeEach(async () => {
  nodeId = await addGateway(await addCluster(server.api.database))
})

const cifs = (more: object = {}) => ({
  name: 'docs',
  node: nodeId,
  objectstore_container: 'documents',
  protocol: 'cifs',
  ...more,
})
const create = async (body: object) => (await post(list, body)).body
const faults = (answer: { readonly body: { readonly gateway_shares?: unknown } }) => answer.body.gateway_shares

describe('the password of a share', () => {
  const password = 'correct-horse'

  it('is shown by the request that set it, and by no other', async () => {
    const made = await post(list, cifs({ password }))
    expect(made.body.password).toBe(password)
    const uri = made.body.resource_uri
    expect((await get(uri)).body).not.toHaveProperty('password')
    expect((await patch(uri, { enabled: true })).body).not.toHaveProperty('password')
    expect((await patch(uri, { password: 'battery-staple' })).body.password).toBe('battery-staple')
    expect((await get(list)).text).not.toContain('battery-staple')
  })

  it.each(['x'.repeat(7), 'x'.repeat(129), 'correct horse', 'correct-hörse', 'correct\nhorse'])(
    'is refused as %j',
    async (wrong) => {
      expect(faults(await post(list, cifs({ password: wrong })))).toHaveProperty('password')
    },
  )

  it('lies encrypted in the database, and goes with the protocol', async () => {
    const { id, resource_uri: uri } = await create(cifs({ password }))
    const stored = async () =>
      (await server.api.database.prisma.gatewayShare.findUniqueOrThrow({ where: { id } })).password
    expect(Buffer.from((await stored()) ?? []).includes(password)).toBe(false)
    await patch(uri, { enabled: true })
    expect(await stored()).not.toBeNull()
    await patch(uri, { protocol: 'nfs' })
    expect(await stored()).toBeNull()
  })

  it('is taken away by null', async () => {
    const { id, resource_uri: uri } = await create(cifs({ password }))
    expect((await patch(uri, { password: null })).body.password).toBeNull()
    expect(await server.api.database.prisma.gatewayShare.findUnique({ where: { id } })).toMatchObject({
      password: null,
    })
  })
})

describe('an Idempotency-Key', () => {
  it('makes a repeated creation answer the same, its password included, and make one share', async () => {
    const headers = { 'idempotency-key': `shares-${nodeId}` }
    const body = cifs({ password: 'correct-horse' })
    const answers = [await post(list, body, headers), await post(list, body, headers)]
    expect(answers.map(({ status }) => status)).toEqual([201, 201])
    expect(answers[1]?.body).toEqual(answers[0]?.body)
    expect((await get(`${list}?node=${nodeId}`)).body.meta.total_count).toBe(1)
  })
})

it('leaves one audit record of every write, without the password', async () => {
  const { id, resource_uri: uri } = await create(cifs({ password: 'correct-horse' }))
  await patch(uri, { password: 'battery-staple', enabled: true })
  await patch(uri, { name: '' })
  await remove(uri)
  const rows = await server.api.database.prisma.auditEvent.findMany({
    where: { resource: 'gateway_shares', resourceId: id },
    orderBy: { id: 'asc' },
  })
  expect(rows.map(({ action }) => action)).toEqual(['create', 'change', 'remove'])
  expect(rows[1]?.changes).toEqual({ password: [null, '***'], enabled: [false, true] })
  expect(JSON.stringify(rows)).not.toContain('correct-horse')
})
