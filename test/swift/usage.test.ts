import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startApi } from '../support/http/api.js'
import type { TestApi } from '../support/http/api.js'
import { addCluster } from '../support/agents/fleet-rows.js'
import { request } from '../support/http/request.js'
import { addSwiftAgent } from '../support/swift/agent.js'
import type { SwiftAgent } from '../support/swift/agent.js'
import { isSwiftEnabled, startSwift } from '../support/swift/cluster.js'
import type { Swift } from '../support/swift/cluster.js'

/** On a machine that does much else, an interval may take several of its own. */
const waitOptions = { timeout: 240_000, interval: 500 }
const log = '/var/log/swift/proxy-access.log'

const uploads = [
  { policy: 'gold', container: 'photos', name: 'large', bytes: 3_000_000 },
  { policy: 'gold', container: 'photos', name: 'small', bytes: 4_097 },
  { policy: 'silver', container: 'archive', name: 'medium', bytes: 777_777 },
] as const
const uploaded = uploads.reduce((sum, { bytes }) => sum + bytes, 0)

describe.skipIf(!isSwiftEnabled)('usage of a real Swift (as root, with ROOST_TEST_SYSTEM=1)', () => {
  let swift: Swift
  let api: TestApi
  let cluster: number
  let agents: readonly [SwiftAgent, SwiftAgent]
  const start = new Date().toISOString()
  beforeAll(async () => {
    ;[swift, api] = await Promise.all([startSwift({ daemons: 'all' }), startApi()])
    cluster = await addCluster(api.database, 'real')
    const [one, two] = swift.nodes
    const often = { storage_interval_seconds: 3, transfer_interval_seconds: 2 }
    const statsd = { enabled: true }
    agents = await Promise.all([
      addSwiftAgent(swift, one, api, cluster, {
        config: { usage: { ...often, access_log: log }, statsd: { ...statsd, address: one.address } },
      }),
      addSwiftAgent(swift, two, api, cluster, {
        config: { usage: often, statsd: { ...statsd, address: two.address } },
      }),
    ])
    for (const agent of agents) agent.start()
  }, 500_000)
  afterAll(async () => {
    for (const agent of agents) await agent.stop()
    await api.stop()
    await swift.stop()
  })

  /** As an operator of the cluster types it. */
  const client = (command: string) =>
    swift.nodes[0].exec(`cd /tmp && swift -q -A ${swift.innerProxyUrl}/auth/v1.0 -U test:tester -K testing ${command}`)

  const usageAt = async (path: string) => {
    const { body } = await api.get(`/api/v1/clusters/${cluster}/utilization/${path}?start=${start}`)
    return body.objects[0]
  }
  const transfer = () => usageAt('transfer/AUTH_test/')
  const storage = (policy: number) => usageAt(`storage/${policy}/AUTH_test/`)

  /** What Swift itself says of the account, by `HEAD`. */
  async function accountHead(): Promise<Headers> {
    const login = { 'x-auth-user': 'test:tester', 'x-auth-key': 'testing' }
    const { headers } = await fetch(`${swift.proxyUrl}/auth/v1.0`, { headers: login })
    const token = headers.get('x-auth-token') ?? ''
    const answer = await fetch(`${swift.proxyUrl}/v1/AUTH_test`, {
      method: 'HEAD',
      headers: { 'x-auth-token': token },
    })
    return answer.headers
  }

  async function headOf(policy: string) {
    const headers = await accountHead()
    const header = (name: string) => Number(headers.get(`x-account-storage-policy-${policy}-${name}`))
    return {
      bytes_used: header('bytes-used'),
      container_count: header('container-count'),
      object_count: header('object-count'),
    }
  }

  it('counts what python-swiftclient uploads, to the byte', { timeout: 600_000 }, async () => {
    for (const { policy, container, name, bytes } of uploads) {
      await client(`post -H 'X-Storage-Policy: ${policy}' ${container}`)
      await swift.nodes[0].exec(`head -c ${bytes} /dev/urandom > /tmp/${name}`)
      await client(`upload ${container} ${name}`)
    }
    await expect.poll(async () => (await transfer())?.bytes_in, waitOptions).toBe(uploaded)
  })

  it('counts what it downloads, to the byte', { timeout: 600_000 }, async () => {
    const { bytes_out: before, req_count: requests } = await transfer()
    await client('download photos large -o /dev/null')
    await client('download archive medium -o /dev/null')
    await expect.poll(async () => (await transfer()).req_count, waitOptions).toBeGreaterThanOrEqual(requests + 2)
    await expect.poll(async () => (await transfer()).bytes_out - before, waitOptions).toBe(3_000_000 + 777_777)
  })

  it(
    'counts nothing twice and leaves nothing out over a kill of the agent and a rotation',
    { timeout: 600_000 },
    async () => {
      await agents[0].stop('SIGKILL')
      await swift.nodes[0].exec('head -c 123456 /dev/urandom > /tmp/late')
      await client('upload photos late')
      await expect
        .poll(() => swift.nodes[0].exec(`cat ${log}`), waitOptions)
        .toContain('PUT /v1/AUTH_test/photos/late ')
      await swift.nodes[0].exec(`cp ${log} ${log}.1 && : > ${log}`)
      await client('upload photos late')
      agents[0].start()
      await expect.poll(async () => (await transfer()).bytes_in, waitOptions).toBe(uploaded + 2 * 123_456)
      await sleep(3_000)
      expect((await transfer()).bytes_in).toBe(uploaded + 2 * 123_456)
    },
  )

  it('knows what is stored in each policy, as HEAD tells it', { timeout: 600_000 }, async () => {
    const stored = { gold: 3_000_000 + 4_097 + 123_456, silver: 777_777 }
    for (const [index, policy] of (['gold', 'silver'] as const).entries()) {
      // Of two copies of the account, either may answer, and one may be behind for a moment.
      let head = {}
      const bytesOf = async () => {
        const now = await headOf(policy)
        head = now
        return now.bytes_used
      }
      await expect.poll(bytesOf, waitOptions).toBe(stored[policy])
      await expect.poll(() => storage(index), waitOptions).toMatchObject(head)
    }
    expect((await storage(0)).pct_complete).toBeGreaterThan(0)
  })

  it('adds up in the CSV of the hours', { timeout: 600_000 }, async () => {
    const path = `/api/v1/clusters/${cluster}/utilization/transfer/AUTH_test/detail/?start=${start}&format=csv`
    // Requests of the test before may still come to the log, between one question and the other.
    const difference = async () => {
      const [header = '', ...rows] = String((await request(api, path)).body)
        .trim()
        .split(/\r?\n/)
      const column = (name: string) => header.split(',').indexOf(name)
      const sum = (name: string) => rows.reduce((total, row) => total + Number(row.split(',')[column(name)]), 0)
      const total = await transfer()
      return ['bytes_in', 'bytes_out', 'req_count'].map((name) => sum(name) - total[name])
    }
    await expect.poll(difference, waitOptions).toEqual([0, 0, 0])
  })

  it('moves the metrics of Swift’s servers', { timeout: 600_000 }, async () => {
    const seen = new Map<string, number>()
    const names = ['proxy-server.object.GET.200.timing.*', 'object-replicator.*', 'replication.*', 'recon.*']
    const poll = async () => {
      await client('download photos small -o /dev/null')
      const path = `/api/v1/clusters/${cluster}/metrics/poll/?metrics=${names.join(',')}`
      for (const { metric_name, value } of (await api.get(path)).body.metrics)
        if (value !== null) seen.set(metric_name, Math.max(value, seen.get(metric_name) ?? 0))
      return seen
    }
    await swift.nodes[0].exec(
      'setpriv --reuid=swift --regid=swift --clear-groups swift-recon-cron /etc/swift/object-server.conf',
    )
    await expect
      .poll(
        async () => {
          await poll()
          return [
            (seen.get('proxy-server.object.GET.200.timing.count') ?? 0) > 0,
            (seen.get('proxy-server.object.GET.200.timing.p95') ?? 0) > 0,
            [...seen.keys()].some((name) => name.startsWith('object-replicator.')),
            (seen.get('replication.ALL.duration') ?? -1) >= 0,
            (seen.get('recon.object.async_pending') ?? -1) >= 0,
            (seen.get('recon.object.quarantined') ?? -1) >= 0,
          ]
        },
        { timeout: 240_000, interval: 2_000 },
      )
      .toEqual([true, true, true, true, true, true])
  })

  it('names the metrics of servers with Debian’s log_name as those of others', { timeout: 600_000 }, async () => {
    const { body } = await api.get('/api/v1/nodes/?order_by=hostname')
    const [, second] = body.objects as readonly { readonly id: number }[]
    const names = async (): Promise<readonly string[]> => {
      const { metrics } = (await api.get(`/api/v1/nodes/${second?.id}/metrics/list/`)).body
      return metrics.map(({ metric_name: name }: { metric_name: string }) => name)
    }
    const hasName = async (name: string) => (await names()).some((found) => found.startsWith(name))
    for (const name of ['object-server.PUT.timing.', 'object-replicator.', 'container-updater.'])
      await expect.poll(async () => hasName(name), waitOptions).toBe(true)
    expect((await names()).filter((name) => name.startsWith('swift'))).toEqual([])
  })

  it('shows that the rings agree and the replicators pass', { timeout: 600_000 }, async () => {
    const health = async () => (await api.get(`/api/v1/clusters/${cluster}/health/`)).body
    await expect
      .poll(async () => Object.values((await health()).oldest_replication).includes(null), waitOptions)
      .toBe(false)
    const md5 = (await swift.nodes[1].exec('md5sum /etc/swift/object-1.ring.gz')).slice(0, 32)
    const summary = async () => {
      const { rings_agree, rings, quarantined, nodes } = await health()
      const names = rings.map(({ name }: { name: string }) => name).join(' ')
      return [rings_agree, nodes.length, quarantined.objects, names, rings[3].copies[0].md5]
    }
    await expect.poll(summary, waitOptions).toEqual([true, 2, 0, 'account container object object-1', md5])
    await swift.nodes[1].exec('cp /etc/swift/object.ring.gz /etc/swift/object-1.ring.gz')
    await expect.poll(async () => (await health()).rings_agree, waitOptions).toBe(false)
  })
})
