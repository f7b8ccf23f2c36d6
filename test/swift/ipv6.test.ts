import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addCluster } from '../support/agents/fleet-rows.js'
import { startApi } from '../support/http/api.js'
import type { TestApi } from '../support/http/api.js'
import { addSwiftAgent } from '../support/swift/agent.js'
import type { SwiftAgent } from '../support/swift/agent.js'
import { isSwiftEnabled, startSwift } from '../support/swift/cluster.js'
import type { Swift } from '../support/swift/cluster.js'
import { logIn, objectOf } from '../support/swift/session.js'

const waitOptions = { timeout: 180_000 }

describe.skipIf(!isSwiftEnabled)('a real Swift on IPv6 alone (as root, with ROOST_TEST_SYSTEM=1)', () => {
  let swift: Swift
  let api: TestApi
  let cluster: number
  let agents: readonly SwiftAgent[] = []
  beforeAll(async () => {
    const accessLog = { address: 'fd00::1', port: 5515 }
    ;[swift, api] = await Promise.all([startSwift({ isIpv6: true, accessLog }), startApi()])
    cluster = await addCluster(api.database, 'ipv6')
    const usage = { access_log_udp: accessLog, transfer_interval_seconds: 1 }
    const config = { statsd: { enabled: true, address: 'fd00::1' }, usage }
    agents = [
      await addSwiftAgent(swift, swift.nodes[0], api, cluster, { config }),
      await addSwiftAgent(swift, swift.nodes[1], api, cluster),
    ]
    for (const agent of agents) agent.start()
  }, 400_000)
  afterAll(async () => {
    for (const agent of agents) await agent.stop()
    await api.stop()
    await swift.stop()
  })

  const reasons = async () => {
    const { reasons: all } = (await api.get(`/api/v1/clusters/${cluster}/health/`)).body
    // Without daemons, and without disks where there are no loop devices.
    return all
      .filter(({ code }: Record<string, string>) => code?.startsWith('server_'))
      .map(({ code, subject }: Record<string, string>) => `${code} ${subject}`)
  }

  it('has its devices on the nodes of their addresses, and rings that agree', async () => {
    const devices = async () => {
      const { body } = await api.get('/api/v1/devices/?order_by=name')
      return body.objects.map(({ name, rings }: { name: string; rings: readonly { replication_ip: string }[] }) => [
        name,
        ...new Set(rings.map((ring) => ring.replication_ip)),
      ])
    }
    await expect.poll(devices, waitOptions).toEqual([
      ['d1', 'fd00::1'],
      ['d2', 'fd00::1'],
      ['d3', 'fd00::2'],
      ['d4', 'fd00::2'],
      ['d5', 'fd00::2'],
    ])
    expect((await api.get(`/api/v1/clusters/${cluster}/health/`)).body.rings_agree).toBe(true)
  })

  it('shows a server that was stopped by its address, until it answers again', async () => {
    const [, two] = swift.nodes
    await expect.poll(reasons, waitOptions).toEqual([])
    await two.stop('container-server')
    await expect.poll(reasons, waitOptions).toEqual(['server_down container-server [fd00::2]:6201'])
    await two.start('container-server')
    await expect.poll(reasons, waitOptions).toEqual([])
  })

  it('counts what its servers report by StatsD, and what goes through its proxy by the access log', async () => {
    const start = new Date().toISOString()
    const session = await logIn(swift.proxyUrl, 'test:tester', 'testing')
    expect((await objectOf(session, 'PUT', 'text')).status).toBe(201)
    const { body } = await api.get('/api/v1/nodes/?order_by=hostname')
    const names = async () => {
      const { metrics } = (await api.get(`/api/v1/nodes/${body.objects[0].id}/metrics/list/`)).body
      return metrics.map(({ metric_name: name }: { metric_name: string }) => name)
    }
    await expect.poll(names, waitOptions).toContain('proxy-server.object.PUT.201.timing.count')
    const moved = async () => {
      const path = `/api/v1/clusters/${cluster}/utilization/transfer/AUTH_test/?start=${start}`
      return (await api.get(path)).body.objects[0]?.bytes_in
    }
    await expect.poll(moved, waitOptions).toBe(4)
  })
})
