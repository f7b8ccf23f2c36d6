import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { startApi } from '../support/http/api.js'
import { addCluster } from '../support/agents/fleet-rows.js'
import { runToEnd } from '../support/programs/processes.js'
import { addSwiftAgent } from '../support/swift/agent.js'
import { isSwiftEnabled, startSwift } from '../support/swift/cluster.js'
import type { Swift } from '../support/swift/cluster.js'

vi.setConfig({ testTimeout: 400_000, hookTimeout: 400_000 })

describe.skipIf(!isSwiftEnabled)('a real Swift of two nodes (as root, with ROOST_TEST_SYSTEM=1)', () => {
  let swift: Swift
  beforeAll(async () => {
    swift = await startSwift()
  })
  afterAll(() => swift.stop())

  it('keeps an object in each of two policies', async () => {
    const login = await fetch(`${swift.proxyUrl}/auth/v1.0`, {
      headers: { 'x-auth-user': 'test:tester', 'x-auth-key': 'testing' },
    })
    const headers = { 'x-auth-token': login.headers.get('x-auth-token') ?? '' }
    const account = login.headers.get('x-storage-url') ?? ''
    for (const policy of ['gold', 'silver']) {
      await fetch(`${account}/in-${policy}`, { method: 'PUT', headers: { ...headers, 'x-storage-policy': policy } })
      const put = await fetch(`${account}/in-${policy}/object`, { method: 'PUT', headers, body: policy })
      expect(put.status).toBe(201)
      const got = await fetch(`${account}/in-${policy}/object`, { headers })
      expect(await got.text()).toBe(policy)
    }
    // The proxy answers once enough have written.
    const count = 'find /srv/node -name "*.data" | wc -l'
    const copies = async () => (await Promise.all(swift.nodes.map((node) => node.exec(count)))).map(Number)
    await expect.poll(copies).toEqual([2, 2])
  })

  it('shows its nodes, devices and policies through the agents on them', async () => {
    const api = await startApi()
    onTestFinished(() => api.stop())
    const cluster = await addCluster(api.database, 'real')
    const agents = await Promise.all(swift.nodes.map((node) => addSwiftAgent(swift, node, api, cluster)))
    onTestFinished(async () => void (await Promise.all(agents.map((agent) => agent.stop()))))
    for (const agent of agents) agent.start()
    const statuses = async () => {
      const { body } = await api.get('/api/v1/devices/?order_by=name')
      return body.objects.map(({ name, status }: Record<string, string>) => `${name} ${status}`)
    }
    await expect
      .poll(statuses, { timeout: 180_000 })
      .toEqual(['d1', 'd2', 'd3', 'd4', 'd5'].map((name) => `${name} ${swift.hasDisks ? 'ok' : 'unmounted'}`))
    const { body } = await api.get('/api/v1/nodes/?order_by=hostname')
    const roles = body.objects.map(({ node_role }: { node_role: { runs_proxy: boolean } }) => node_role.runs_proxy)
    expect(roles).toEqual([true, false])
  })

  it('has its proxy’s access log in a file', async () => {
    const log = swift.nodes[0].path('/var/log/swift/proxy-access.log')
    const text = async () => (await runToEnd('cat', [log])).stdout
    await expect.poll(text).toContain('PUT /v1/AUTH_test/in-gold/object HTTP')
  })
})
