import { createClient } from '@roost/api-types'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { addCluster, addDevice, addNode } from '../support/agents/fleet-rows.js'
import { shareApi } from '../support/http/shared-api.js'

const server = shareApi()
let west: number

beforeAll(async () => {
  const { database } = server.api
  const east = await addCluster(database, 'east')
  west = await addCluster(database, 'west')
  for (let i = 0; i < 25; i++)
    await addNode(database, i % 5 === 0 ? west : east, {
      hostname: `node-${String(i).padStart(2, '0')}`,
      enabled: i % 2 === 0,
      state: i === 7 ? 'online' : 'pending',
    })
  const { id } = await database.prisma.node.findFirstOrThrow()
  await addDevice(database, west, id)
})

interface Row {
  readonly hostname: string
}
const list = async (query: string) => (await server.get(`/api/v1/nodes/?${query}`)).body
const names = async (query: string) => (await list(`limit=0&${query}`)).objects.map((row: Row) => row.hostname)
const count = async (query: string) => (await list(query)).meta.total_count
const refused = async (query: string) => {
  const { status, body } = await server.get(`/api/v1/nodes/?${query}`)
  return [status, body.error]
}

describe('filters', () => {
  it('with __not leave out what has one of the values', async () => {
    expect(await names('state__not=pending')).toEqual(['node-07'])
    expect(await count('state__not=pending,online')).toBe(0)
    expect(await count('state__not=online&state__not=offline')).toBe(24)
    expect(await count('enabled__not=true&cluster__name__not=west')).toBe(
      await count('enabled=false&cluster__name=east'),
    )
    expect(await count(`cluster__not=/api/v1/clusters/${west}/`)).toBe(20)
    expect(await count('hostname__not=node-01')).toBe(24)
    expect(await count('runs_gateway__not=false')).toBe(0)
    expect(await count('state__not=')).toBe(25)
    const walk = await list('state__not=online&limit=20')
    expect(walk.meta.next).toBe('/api/v1/nodes/?state__not=online&limit=20&offset=20')
    // Without a version, a node has none of those that are named.
    expect(await count('agent_version__not=0.1.0')).toBe(25)
    expect(await count('has_problems__not=true')).toBe(await count('has_problems=false'))
    const devices = await server.get('/api/v1/devices/?policy__not=gold&status__not=failed')
    expect(devices.body.meta.total_count).toBe(1)
  })

  it('with __not refuse, by its name, what would exclude nothing', async () => {
    expect(await refused('state__not=offlin')).toEqual([
      400,
      "Invalid state__not 'offlin' provided. Known values: pending, online, stale, offline, needs_upgrade, duplicate.",
    ])
    expect(await refused('enabled__not=maybe')).toEqual([
      400,
      'Invalid resource lookup data provided (mismatched type).',
    ])
    expect(await refused('id__gt__not=1')).toEqual([400, "The 'id__gt__not' field does not allow filtering."])
    expect(await refused('last_seen__not=1')).toEqual([400, "The 'last_seen' field does not allow filtering."])
  })

  it('are negated by the typed client, too', async () => {
    const { rpc, close } = createClient({ url: server.api.url, ca: server.api.ca, apiKey: server.api.key })
    onTestFinished(close)
    const { objects } = await rpc.nodes.list.query({
      filters: { state__not: ['pending', 'stale'], cluster__not: west },
    })
    expect(objects.map(({ hostname }) => hostname)).toEqual(['node-07'])
    await expect(rpc.nodes.list.query({ filters: { state__not: 'offlin' } })).rejects.toThrow(
      "Invalid state__not 'offlin'",
    )
  })
})
