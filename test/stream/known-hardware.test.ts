import { closeCodes } from '@roost/api-types/agent'
import type { EnrollRequest, Hardware } from '@roost/api-types/agent'
import type { GrantableRole } from '@roost/api-types/rest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SimulatedAgent } from '../support/agents/simulated-agent.js'
import { newIdentity } from '../support/agents/simulated-identity.js'
import type { NewIdentity } from '../support/agents/simulated-identity.js'
import { endOfSession, enrollAt, newHardware } from './enroll.js'
import type { Answer } from './enroll.js'
import { testCaller } from '../support/agents/enrollment.js'
import { startStreamServer } from './stream-server.js'
import type { StreamServer } from './stream-server.js'

let server: StreamServer

beforeAll(async () => {
  server = await startStreamServer()
})
afterAll(() => server.close())

function enroll(token: string, more: Partial<EnrollRequest>, identity?: NewIdentity): Promise<Answer> {
  return enrollAt(server.url, token, more, identity)
}

async function newToken(roles: readonly GrantableRole[] = []): Promise<string> {
  return (await server.tokens.create({ cluster: server.clusterId, roles }, testCaller)).token
}

const auditOf = (nodeId: unknown) =>
  server.database.prisma.auditEvent.findMany({ where: { resource: 'nodes', resourceId: Number(nodeId) } })

async function formerNode(): Promise<{
  readonly id: number
  readonly hardware: Hardware
  readonly old: NewIdentity
}> {
  const old = newIdentity()
  const hardware = newHardware()
  const { body } = await enroll(await newToken(), { hardware, hostname: 'storage-7' }, old)
  return { id: Number(body['node_id']), hardware, old }
}

describe('hardware that was a node before', () => {
  it('is offered its old node, and the token stays valid', async () => {
    const { id, hardware } = await formerNode()
    const token = await newToken()
    const reinstalled = { ...hardware, filesystem_uuids: ['new-root', hardware.filesystem_uuids[1] ?? ''] }
    const offer = await enroll(token, { hardware: reinstalled })
    expect(offer.status).toBe(409)
    expect(offer.body).toMatchObject({ known_node: { id, hostname: 'storage-7', last_seen: null } })
    const asNew = await enroll(token, { hardware: reinstalled, place: 'new' })
    expect(asNew.status).toBe(200)
    expect(asNew.body['node_id']).not.toBe(id)
  })

  it('takes over its old node under a new key; the old key is revoked, and the digests of both keys are audited', async () => {
    const { id, hardware, old } = await formerNode()
    const identity = newIdentity()
    const { status, body } = await enroll(await newToken(), { hardware, place: 'take' }, identity)
    expect(status).toBe(200)
    expect(body['node_id']).toBe(id)
    expect(await endOfSession(server.url, identity, body['node_uuid'])).toBeUndefined()
    expect(await endOfSession(server.url, old, body['node_uuid'])).toBe(closeCodes.revoked)
    const events = await auditOf(id)
    expect(events.map(({ action }) => action)).toEqual(['enrol', 'take_place'])
  })

  it('takes over its old node without its roles, unless the new token grants them', async () => {
    const rolesOf = async (id: unknown) =>
      (await server.database.prisma.node.findUniqueOrThrow({ where: { id: Number(id) } })).rolesGranted
    const hardware = newHardware()
    const { body } = await enroll(await newToken(['runs_gateway', 'runs_proxy']), { hardware })
    expect(await rolesOf(body['node_id'])).toEqual(['runs_gateway', 'runs_proxy'])
    await enroll(await newToken(), { hardware, place: 'take' })
    expect(await rolesOf(body['node_id'])).toEqual([])
    await enroll(await newToken(['runs_proxy']), { hardware, place: 'take' })
    expect(await rolesOf(body['node_id'])).toEqual(['runs_proxy'])
    const changes = (await auditOf(body['node_id'])).map((event) => event.changes)
    expect(changes.map((change) => (change as { roles_granted?: unknown }).roles_granted)).toEqual([
      [null, ['runs_gateway', 'runs_proxy']],
      [['runs_gateway', 'runs_proxy'], []],
      [[], ['runs_proxy']],
    ])
  })

  it.each([
    [
      'one part alone, as a disk that moved or a cloned image',
      (h: Hardware) => ({ ...newHardware(), disk_serials: h.disk_serials }),
    ],
    [
      'a clone of its disks on another board',
      (h: Hardware) => ({ ...newHardware(), disk_serials: h.disk_serials, filesystem_uuids: h.filesystem_uuids }),
    ],
    [
      'its board alone',
      (h: Hardware) => ({ system_uuid: h.system_uuid, disk_serials: [], macs: [], filesystem_uuids: [] }),
    ],
  ])('is not recognised by %s', async (_name, other) => {
    const { hardware } = await formerNode()
    expect((await enroll(await newToken(), { hardware: other(hardware) })).status).toBe(200)
  })

  it('is a new node while the old one is connected, since a connected machine was not reinstalled', async () => {
    const { id, hardware, old } = await formerNode()
    const { uuid } = await server.database.prisma.node.findUniqueOrThrow({ where: { id } })
    const agent = new SimulatedAgent({ url: server.url, identity: { ...old, uuid } })
    agent.dial()
    await agent.until(({ welcomed }) => welcomed > 0)
    const second = await enroll(await newToken(), { hardware })
    expect(second.status).toBe(200)
    expect(second.body['node_id']).not.toBe(id)
    agent.stop()
  })

  it('of another cluster is never offered', async () => {
    const { hardware } = await formerNode()
    const other = await server.database.prisma.cluster.upsert({
      where: { name: 'two' },
      create: { name: 'two' },
      update: {},
    })
    const { token } = await server.tokens.create({ cluster: other.id }, testCaller)
    expect(await enroll(token, { hardware })).toMatchObject({ status: 200, body: { cluster: 'two' } })
  })

  it('that is unknown cannot take over a node', async () => {
    const { status, body } = await enroll(await newToken(), { place: 'take' })
    expect(status).toBe(409)
    expect(body).not.toHaveProperty('known_node')
  })
})
