import type { Alert } from '@roost/api-types/rest'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addCluster } from '../support/agents/fleet-rows.js'
import { startApi } from '../support/http/api.js'
import type { TestApi } from '../support/http/api.js'
import { addSwiftAgent } from '../support/swift/agent.js'
import type { SwiftAgent } from '../support/swift/agent.js'
import { isSwiftEnabled, startSwift } from '../support/swift/cluster.js'
import type { Swift } from '../support/swift/cluster.js'
import { logIn } from '../support/swift/session.js'
import type { Session } from '../support/swift/session.js'

const waitOptions = { timeout: 240_000, interval: 1_000 }

describe.skipIf(!isSwiftEnabled)('a real proxy that answers 503 (as root, with ROOST_TEST_SYSTEM=1)', () => {
  let swift: Swift
  let api: TestApi
  let agent: SwiftAgent
  let session: Session
  beforeAll(async () => {
    ;[swift, api] = await Promise.all([startSwift(), startApi()])
    const cluster = await addCluster(api.database, 'real')
    const [one] = swift.nodes
    const config = { statsd: { enabled: true, address: one.address } }
    agent = await addSwiftAgent(swift, one, api, cluster, { config })
    agent.start()
    // Ten minutes by default, which the clock of test/alerts shows.
    await api.call('/api/v1/alert_rules/', { method: 'POST', body: { code: 'PROXY_ERRORS', for_seconds: 0 } })
    session = await logIn(swift.proxyUrl, 'test:tester', 'testing')
  }, 400_000)
  afterAll(async () => {
    await agent.stop()
    await api.stop()
    await swift.stop()
  })

  /** Returns how many of the requests were answered with each status. */
  async function ask(method: string, path: string, times: number): Promise<Record<number, number>> {
    const statuses: Record<number, number> = {}
    for (let i = 0; i < times; i++) {
      const answer = await fetch(`${session.account}${path}`, { method, headers: { 'x-auth-token': session.token } })
      await answer.arrayBuffer()
      statuses[answer.status] = (statuses[answer.status] ?? 0) + 1
    }
    return statuses
  }

  /** `node subject state` of each alert about the proxy, after the next round. */
  async function alerts(): Promise<readonly string[]> {
    await api.context.healthRounds.run()
    const lists = await Promise.all(
      ['pending', 'firing', 'resolved'].map((state) => api.get(`/api/v1/alerts/?code=PROXY_ERRORS&state=${state}`)),
    )
    return lists.flatMap(({ body }) =>
      body.objects.map(({ state, hostname, subject }: Alert) => `${hostname} ${subject} ${state}`),
    )
  }

  it('is no alert while its storage servers answer', { timeout: 240_000 }, async () => {
    expect(await ask('PUT', '/photos', 1)).toEqual({ 201: 1 })
    expect(await ask('PUT', '/photos/one', 150)).toEqual({ 201: 150 })
    const [node] = (await api.get('/api/v1/nodes/')).body.objects
    const names = async () => {
      const { metrics } = (await api.get(`/api/v1/nodes/${node.id}/metrics/list/`)).body
      return metrics.map(({ metric_name: name }: { metric_name: string }) => name)
    }
    await expect.poll(names, waitOptions).toContain('proxy-server.object.PUT.201.timing.count')
    expect(await alerts()).toEqual([])
  })

  it('is one while they do not', { timeout: 300_000 }, async () => {
    for (const node of swift.nodes) await node.stop('object-server')
    expect(await ask('PUT', '/photos/one', 6)).toEqual({ 503: 6 })
    await expect.poll(alerts, waitOptions).toEqual(['store-n1 proxy-server firing'])
  })

  it('ends once they answer again, and began once', { timeout: 400_000 }, async () => {
    for (const node of swift.nodes) await node.start('object-server')
    // The errors stay within the ten minutes that count; they are less than 0.9 % of these.
    expect(await ask('HEAD', '/photos', 700)).toEqual({ 204: 700 })
    await expect.poll(alerts, waitOptions).toEqual(['store-n1 proxy-server resolved'])
  })
})
