import type { CapacityElement } from '@roost/api-types/rest'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Answer, startApi } from '../support/http/api.js'
import type { TestApi } from '../support/http/api.js'
import { addCluster } from '../support/agents/fleet-rows.js'
import { SwiftNode } from './swift-node.js'

let api: TestApi
let cluster: number
let nodes: readonly SwiftNode[]
beforeAll(async () => {
  api = await startApi()
  cluster = await addCluster(api.database, 'lab')
  nodes = await Promise.all([
    SwiftNode.create('127.0.2.1', ['d1', 'd2']),
    SwiftNode.create('127.0.2.2', ['d3', 'd4', 'd5']),
  ])
  for (const node of nodes) await node.enroll(api, cluster)
  for (const node of nodes) node.start()
})
afterAll(async () => {
  for (const node of nodes) await node.stop()
  await api.stop()
})

async function eventually(path: string, isDone: (answer: Answer) => boolean): Promise<Answer> {
  const deadline = Date.now() + 180_000
  for (;;) {
    const answer = await api.get(path)
    if (isDone(answer)) return answer
    if (Date.now() > deadline)
      throw new Error(`${path} is still ${answer.text}\n${nodes.map(({ output }) => output).join('\n')}`)
    await sleep(100)
  }
}

describe('two nodes of a Swift cluster', { timeout: 240_000 }, () => {
  it('bring their five devices, each with the policies of its rings', async () => {
    const { body } = await eventually('/api/v1/devices/?order_by=name', (answer) => answer.body.meta.total_count === 5)
    const rows = body.objects.map(({ name, policies, status }: Record<string, unknown>) => [name, policies, status])
    expect(rows).toEqual([
      ['d1', ['gold', 'silver'], 'unmounted'],
      ['d2', ['gold'], 'unmounted'],
      ['d3', ['gold', 'silver'], 'unmounted'],
      ['d4', ['gold'], 'unmounted'],
      ['d5', ['silver'], 'unmounted'],
    ])
    const onNodes = new Map<string, number>()
    for (const { node } of body.objects) onNodes.set(node, (onNodes.get(node) ?? 0) + 1)
    expect([...onNodes.values()].toSorted((a, b) => a - b)).toEqual([2, 3])
  })

  it('bring the cluster’s policies', async () => {
    const { body } = await api.get(`/api/v1/storage_policies/?cluster=${cluster}&order_by=index`)
    expect(body.objects.map((one: Record<string, unknown>) => [one.index, one.name, one.is_default])).toEqual([
      [0, 'gold', true],
      [1, 'silver', false],
    ])
  })

  it('are storage nodes that face the cluster with their ring addresses', async () => {
    const { body } = await api.get('/api/v1/nodes/?order_by=hostname')
    expect(body.objects).toMatchObject(
      ['127.0.2.1', '127.0.2.2'].map((address) => ({
        hostname: `store-${address}`,
        cluster_facing_ip: address,
        replication_facing_ip: address,
        node_role: { runs_account_container: true, runs_object: true, runs_gateway: false, runs_proxy: false },
      })),
    )
    expect(body.objects.every(({ cpu_cores }: { cpu_cores: number }) => cpu_cores > 0)).toBe(true)
  })

  it('make an element of capacity for each set of policies, with its count of devices', async () => {
    const { body } = await api.get(`/api/v1/clusters/${cluster}/capacity/list/`)
    const counts = body.capacity.map(({ ring_set, pct_used_stats }: CapacityElement) => [
      ring_set,
      pct_used_stats.count,
    ])
    expect(counts).toEqual([
      ['gold', 2],
      ['gold,silver', 2],
      ['silver', 1],
    ])
  })
})
