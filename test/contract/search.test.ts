import { createClient } from '@roost/api-types'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { addCluster, addDevice, addNode } from '../support/agents/fleet-rows.js'
import { shareApi } from '../support/http/shared-api.js'

const server = shareApi()
let cluster: number
let node: number
let device: number

const search = async (query: string) => server.get(`/api/v1/search/?${query}`)
const namesOf = async (q: string) =>
  (await search(`q=${encodeURIComponent(q)}`)).body.objects.map(({ name }: { readonly name: string }) => name)

beforeAll(async () => {
  const { database } = server.api
  cluster = await addCluster(database)
  node = await addNode(database, cluster, {
    hostname: 'Atlas-07',
    clusterFacingIp: '10.9.8.7',
    replicationFacingIp: '10.66.0.7',
    otherIps: ['fd00::77'],
    role: { create: { runsGateway: true } },
  })
  device = await addDevice(database, cluster, node, { name: 'sdq', serial: 'ZQ9_100%' })
  await addDevice(database, cluster, node, { name: 'sdr', serial: 'ZQ9x1000' })
  await server.post('/api/v1/gateway_shares/', {
    name: 'atlas',
    node: `/api/v1/nodes/${node}/`,
    objectstore_container: 'globes',
  })
})

describe('search/', () => {
  it('finds records of every kind by what people know of them, the most similar names first', async () => {
    const { status, body } = await search('q=ATLAS')
    expect(status).toBe(200)
    expect(body.objects.slice(0, 2)).toMatchObject([
      { resource: 'gateway_shares', name: 'atlas', detail: 'Atlas-07', node: `/api/v1/nodes/${node}/` },
      { resource: 'nodes', resource_uri: `/api/v1/nodes/${node}/`, name: 'Atlas-07', detail: '10.9.8.7', node: null },
    ])
    for (const address of ['8.7', '10.66.', 'FD00::77']) expect(await namesOf(address)).toEqual(['Atlas-07'])
    expect(await namesOf('globe')).toEqual(['atlas'])
  })

  it('has a filter of the lists of nodes and devices beside it', async () => {
    const listed = async (resource: 'nodes' | 'devices', q: string, field: string) => {
      const { body } = await server.get(`/api/v1/${resource}/?q=${encodeURIComponent(q)}&order_by=id`)
      return body.objects.map((record: Record<string, unknown>) => record[field])
    }
    // The host name, addresses, and the serial number of a device.
    for (const q of ['tlas-0', '9.8.7', '10.66.', 'q9_100'])
      expect(await listed('nodes', q, 'hostname')).toEqual(['Atlas-07'])
    expect(await listed('nodes', 'q9_1000', 'hostname')).toEqual([])
    expect(await listed('devices', 'zq9', 'name')).toEqual(['sdq', 'sdr'])
    expect(await listed('devices', '_100%', 'name')).toEqual(['sdq'])
    expect(await listed('devices', 'atlas', 'name')).toEqual(['sdq', 'sdr'])
    const facets = await server.get(`/api/v1/devices/facets/?q=${encodeURIComponent('_100%')}`)
    expect(facets.body.total).toBe(1)
  })

  it('takes every character as itself', async () => {
    const { body } = await search(`q=${encodeURIComponent('9_100%')}`)
    expect(body).toEqual({
      objects: [
        {
          resource: 'devices',
          resource_uri: `/api/v1/devices/${device}/`,
          name: 'sdq',
          detail: 'Atlas-07 ZQ9_100%',
          cluster: `/api/v1/clusters/${cluster}/`,
          node: `/api/v1/nodes/${node}/`,
        },
      ],
      has_more: false,
    })
    expect(await namesOf('\\')).toEqual([])
  })

  it('says that there is more, and is the same in the typed client', async () => {
    const { body } = await search('q=zq9&limit=1')
    expect(body).toMatchObject({ objects: [{ name: 'sdq' }], has_more: true })
    const { url, ca, key } = server.api
    const { rpc, close } = createClient({ url, ca, apiKey: key })
    onTestFinished(close)
    expect(await rpc.search.query({ q: 'zq9', limit: 1 })).toEqual(body)
  })

  it.each(['', 'q=', 'q=%20', `q=${'x'.repeat(101)}`, 'q=a%00'])('is refused with the parameter: %s', async (query) => {
    const { status, body } = await search(query)
    expect([status, JSON.stringify(body)]).toEqual([
      400,
      expect.stringContaining('Please provide 1 to 100 characters.'),
    ])
  })
})
