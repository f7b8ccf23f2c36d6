import { createStateStore } from '@roost/control-plane/dist/deployments/state-store.js'
import type { DriftedItem } from '@roost/api-types/agent'
import { beforeEach, describe, expect, it } from 'vitest'
import { addCluster, addNode } from '../support/agents/fleet-rows.js'
import { shareApi, shareClient } from '../support/http/shared-api.js'

const server = shareApi()
const client = shareClient(server)
let cluster = 0
beforeEach(async () => {
  cluster = await addCluster(server.api.database)
})

const item = { subject: '/etc/exports.d/roost.exports', message: 'changed by hand', diff: '+x\n' }
const adoptable = { ...item, adoptable: [{ id: 1, fields: { access_mode: 'ro' } }] }

/** What the agent of a node reports after a deployment. */
async function reportDrift(nodeId: number, kind: 'gateway' | 'user_db', items: readonly DriftedItem[]): Promise<void> {
  const store = createStateStore(server.api.database)
  await store.transaction(async (tx) => {
    if ((await store.findForUpdate(tx, nodeId, kind)) === undefined) {
      await store.raise(tx, nodeId, kind, new Uint8Array([1]))
      await store.setOutcome(tx, nodeId, kind, { inForce: 1, outcome: 'applied', message: '' })
    }
    await store.setDrift(tx, nodeId, kind, items)
  })
}

const list = async (query = '') => (await server.get(`/api/v1/drift/?cluster=${cluster}${query}`)).body
const hostnames = async (query = '') => (await list(query)).objects.map((node: { hostname: string }) => node.hostname)

describe('the nodes that differ from what was deployed', () => {
  it('are listed with their kinds and numbers of differences, by REST and by tRPC alike', async () => {
    const [a, b] = [
      await addNode(server.api.database, cluster, { hostname: 'gw-a' }),
      await addNode(server.api.database, cluster, { hostname: 'gw-b' }),
    ]
    await addNode(server.api.database, cluster, { hostname: 'gw-c' })
    await reportDrift(b, 'gateway', [item, adoptable])
    await reportDrift(b, 'user_db', [item])
    await reportDrift(a, 'gateway', [])
    const { meta, objects } = await list()
    expect(meta).toMatchObject({ total_count: 1, next: null })
    const shown = { generation: 1, applied_generation: 1, since: expect.stringMatching(/^\d{4}-.*Z$/) }
    expect(objects).toEqual([
      {
        node: `/api/v1/nodes/${b}/`,
        hostname: 'gw-b',
        cluster: `/api/v1/clusters/${cluster}/`,
        state: 'pending',
        kinds: [
          { kind: 'gateway', ...shown, items: 2, adoptable: 1 },
          { kind: 'user_db', ...shown, items: 1, adoptable: 0 },
        ],
      },
    ])
    expect(await client.rpc.drift.list.query({ cluster })).toEqual({ total: 1, objects })
  })

  it('have the time of the first difference, until there is none', async () => {
    const node = await addNode(server.api.database, cluster)
    const since = async () => (await list()).objects[0]?.kinds[0].since
    await reportDrift(node, 'gateway', [item])
    const first = await since()
    await reportDrift(node, 'gateway', [item, adoptable])
    expect(await since()).toBe(first)
    await reportDrift(node, 'gateway', [])
    expect((await list()).objects).toEqual([])
    await reportDrift(node, 'gateway', [item])
    expect(Date.parse(await since())).toBeGreaterThan(Date.parse(first))
  })

  it('come in pages, by host name, of one cluster or of all', async () => {
    const other = await addCluster(server.api.database)
    for (const [at, hostname] of [
      [cluster, 'n-2'],
      [cluster, 'n-1'],
      [cluster, 'n-3'],
      [other, 'n-0'],
    ] as const)
      await reportDrift(await addNode(server.api.database, at, { hostname }), 'gateway', [item])
    expect(await hostnames()).toEqual(['n-1', 'n-2', 'n-3'])
    const page = await list('&limit=2')
    expect(page.meta).toEqual({
      limit: 2,
      offset: 0,
      next: `/api/v1/drift/?cluster=${cluster}&limit=2&offset=2`,
      previous: null,
      total_count: 3,
    })
    expect((await server.get(page.meta.next)).body.objects).toMatchObject([{ hostname: 'n-3' }])
    const byUri = `/api/v1/drift/?cluster=${encodeURIComponent(`/api/v1/clusters/${other}/`)}`
    expect((await server.get(byUri)).body.objects).toMatchObject([{ hostname: 'n-0' }])
    const everywhere = (await client.rpc.drift.list.query({ limit: 1000 })).objects.map(({ hostname }) => hostname)
    expect(everywhere).toEqual(expect.arrayContaining(['n-0', 'n-1', 'n-2', 'n-3']))
    for (const bad of ['x', '/api/v1/nodes/1/', '99999999999'])
      expect([bad, (await server.get(`/api/v1/drift/?cluster=${bad}`)).status]).toEqual([bad, 400])
  })
})
