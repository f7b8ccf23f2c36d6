import { createClient } from '@roost/api-types'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { addCluster, addDevice, addNode, addPolicy } from '../support/agents/fleet-rows.js'
import { shareApi } from '../support/http/shared-api.js'

const server = shareApi()
let cluster = 0

const read = async (path: string) => (await server.get(`/api/v1/${path}`)).body
const nodes = (query = '') => read(`nodes/facets/?cluster=${cluster}${query}`)
const devices = (query = '') => read(`devices/facets/?cluster=${cluster}${query}`)
const totalOf = async (list: string) => (await read(`${list}&limit=1`)).meta.total_count

beforeAll(async () => {
  const { database } = server.api
  const other = await addCluster(database, 'other')
  await addNode(database, other, { hostname: 'elsewhere', state: 'online' })
  cluster = await addCluster(database, 'counted')
  const problems = [{ code: 'mount_stuck', severity: 'warning', subject: '/srv', message: 'It does not answer.' }]
  const node = async (name: string, fields: object, role: object = {}) =>
    addNode(database, cluster, { hostname: name, agentVersion: '0.2.0', ...fields, role: { create: role } })
  const first = await node('a', { state: 'online', configState: 'synced' }, { runsGateway: true })
  await node('b', { state: 'online', configState: 'drifted', judgedProblems: problems })
  await node('c', { state: 'offline', configState: 'synced', problems, agentVersion: '0.1.0' })
  await node('d', { state: 'pending', configState: 'unknown', agentVersion: null, cpuCores: 8, memoryBytes: 2n ** 33n })
  const gold = await addPolicy(database, cluster, 0, 'gold')
  const silver = await addPolicy(database, cluster, 1, 'silver')
  for (const [status, policies] of [
    ['ok', [gold, silver]],
    ['ok', [gold]],
    ['failed', [gold]],
    ['unmanaged', []],
  ] as const) {
    const deviceId = await addDevice(database, cluster, first, { status })
    for (const policyId of policies) await database.prisma.devicePolicy.create({ data: { deviceId, policyId } })
  }
})

describe('nodes/facets/', () => {
  it('counts the nodes of each value', async () => {
    const role = { false: 4 }
    expect(await nodes()).toEqual({
      total: 4,
      state: { online: 2, offline: 1, pending: 1 },
      config_state: { synced: 2, drifted: 1, unknown: 1 },
      agent_version: { '0.1.0': 1, '0.2.0': 2 },
      has_problems: { true: 2, false: 2 },
      runs_account_container: role,
      runs_gateway: { true: 1, false: 3 },
      runs_object: role,
      runs_proxy: role,
    })
  })

  it('counts each field under the filters of the others, and the total under all', async () => {
    const { total, state, config_state: configState } = await nodes('&state=online&config_state__not=drifted')
    expect({ total, state, configState }).toEqual({
      total: 1,
      state: { offline: 1, online: 1, pending: 1 },
      configState: { drifted: 1, synced: 1 },
    })
  })

  it.each([
    'hostname__in=a,b',
    'cluster__name=counted&enabled=true',
    'cluster__uuid=00000000-0000-4000-8000-000000000000',
    'id__gt=0&runs_gateway=true',
    'cpu_cores=8&ram_gb=8',
    'ram_gb__not=8',
    'agent_version__not=0.2.0',
    'has_problems=true&state__not=offline',
    'node_role=1',
    'q=OUNT',
    'q=a&q=d&state=online',
    'uuid=00000000-0000-4000-8000-000000000000',
  ])('has the total of the list: %s', async (query) => {
    expect((await nodes(`&${query}`)).total).toBe(await totalOf(`nodes/?cluster=${cluster}&${query}`))
  })

  it('refuses what the list refuses, with the same sentence', async () => {
    for (const query of ['state__not=offlin', 'last_seen=1', 'enabled=maybe', 'hostname=a%00']) {
      const [facets, list] = [await nodes(`&${query}`), await read(`nodes/?${query}`)]
      expect([query, facets.error]).toEqual([query, list.error])
    }
  })

  it('is the same in the typed client', async () => {
    const { rpc, close } = createClient({ url: server.api.url, ca: server.api.ca, apiKey: server.api.key })
    onTestFinished(close)
    const filters = { cluster: `/api/v1/clusters/${cluster}/`, state__not: 'online' }
    expect(await rpc.nodes.facets.query({ filters })).toEqual(await nodes('&state__not=online'))
    expect(await rpc.devices.facets.query({ filters: { cluster, policy: 'gold' } })).toEqual(
      await devices('&policy=gold'),
    )
    expect((await rpc.nodes.facets.query()).total).toBe(5)
    const refused = rpc.nodes.facets.query({ filters: { hostname: 'a\0' } })
    await expect(refused).rejects.toMatchObject({ data: { httpStatus: 400 } })
  })
})

describe('devices/facets/', () => {
  it('counts a device for each of its policies', async () => {
    expect(await devices()).toEqual({
      total: 4,
      status: { failed: 1, ok: 2, unmanaged: 1 },
      policy: { gold: 3, silver: 1 },
    })
    expect(await devices('&policy=silver')).toMatchObject({
      total: 1,
      status: { ok: 1 },
      policy: { gold: 3, silver: 1 },
    })
    expect(await devices('&policy__not=gold')).toMatchObject({ total: 1, status: { unmanaged: 1 } })
  })

  it.each(['node__hostname=a', 'name=d1', 'policy__in=gold,silver&status=ok', 'status__not=ok', 'node__id__not=1'])(
    'has the total of the list: %s',
    async (query) => {
      expect((await devices(`&${query}`)).total).toBe(await totalOf(`devices/?cluster=${cluster}&${query}`))
    },
  )
})
