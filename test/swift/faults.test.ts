import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Alert, CapacityElement } from '@roost/api-types/rest'
import { startApi } from '../support/http/api.js'
import type { TestApi } from '../support/http/api.js'
import { addCluster } from '../support/agents/fleet-rows.js'
import { addSwiftAgent } from '../support/swift/agent.js'
import type { SwiftAgent } from '../support/swift/agent.js'
import { isSwiftEnabled, startSwift } from '../support/swift/cluster.js'
import type { Swift } from '../support/swift/cluster.js'

/** On a machine that does much else, an interval may take several of its own. */
const waitOptions = { timeout: 180_000, interval: 250 }

describe.skipIf(!isSwiftEnabled)('disks of a real Swift that fail (as root, with ROOST_TEST_SYSTEM=1)', () => {
  let swift: Swift
  let api: TestApi
  let cluster: number
  let agents: readonly SwiftAgent[]
  beforeAll(async () => {
    ;[swift, api] = await Promise.all([startSwift(), startApi()])
    cluster = await addCluster(api.database, 'real')
    agents = await Promise.all(swift.nodes.map((node) => addSwiftAgent(swift, node, api, cluster)))
    for (const agent of agents) agent.start()
    // It begins at once, and not after three minutes.
    await api.call('/api/v1/alert_rules/', { method: 'POST', body: { code: 'DEVICE_UNMOUNTED', for_seconds: 0 } })
  }, 500_000)
  afterAll(async () => {
    for (const agent of agents) await agent.stop()
    await api.stop()
    await swift.stop()
  })

  async function statuses(): Promise<Record<string, string>> {
    const { body } = await api.get('/api/v1/devices/')
    return Object.fromEntries(body.objects.map(({ name, status }: Record<string, string>) => [name, status]))
  }

  async function capacity(): Promise<Record<string, readonly [count: number, hasUsage: boolean]>> {
    const { body } = await api.get(`/api/v1/clusters/${cluster}/capacity/list/`)
    return Object.fromEntries(
      body.capacity.map(({ ring_set, total_raw_tb, pct_used_stats }: CapacityElement) => [
        ring_set,
        [pct_used_stats.count, total_raw_tb > 0],
      ]),
    )
  }

  /** `state subject` of the alerts of devices that are not mounted, after the next round. */
  async function unmounted(): Promise<readonly string[]> {
    await api.context.healthRounds.run()
    const { body } = await api.get('/api/v1/alerts/?code=DEVICE_UNMOUNTED&state__in=pending,firing,unknown,resolved')
    return body.objects.map(({ state, subject }: Alert) => `${state} ${subject}`)
  }

  /** Whoever looks at a disk this moment, keeps it from being unmounted. */
  const unmount = `unmount() { for i in $(seq 600); do umount $1 && return; sleep 0.1; done; return 1; }`

  const well = { d1: 'ok', d2: 'ok', d3: 'ok', d4: 'ok', d5: 'ok' }

  it('have a status for each cause, leave the sums and keep their count', { timeout: 500_000 }, async (test) => {
    test.skip(!swift.hasDisks, 'there are no loop devices here')
    await expect.poll(statuses, waitOptions).toEqual(well)
    const loop = await swift.machine.exec('basename $(losetup -j n2-d4.img -O NAME -n)')
    await swift.machine.exec(`${unmount}
      unmount n1/srv/node/d2
      xfs_io -x -c shutdown n2/srv/node/d3
      echo roost > /sys/fs/ext4/${loop.trim()}/trigger_fs_error`)
    await expect.poll(statuses, waitOptions).toEqual({ ...well, d2: 'unmounted', d3: 'failed', d4: 'failed' })
    await expect.poll(capacity, waitOptions).toEqual({ gold: [2, false], 'gold,silver': [2, true], silver: [1, true] })
    await expect.poll(unmounted, waitOptions).toEqual(['firing d2'])
  })

  it('are well again when they are healed', { timeout: 500_000 }, async (test) => {
    test.skip(!swift.hasDisks, 'there are no loop devices here')
    await swift.machine.exec(`${unmount}
      mountpoint -q n1/srv/node/d2 || mount -t xfs -o loop,noatime n1-d2.img n1/srv/node/d2
      unmount n2/srv/node/d3 && mount -t xfs -o loop,noatime n2-d3.img n2/srv/node/d3
      unmount n2/srv/node/d4 && mount -t ext4 -o loop,noatime n2-d4.img n2/srv/node/d4`)
    await expect.poll(statuses, waitOptions).toEqual(well)
    await expect.poll(capacity, waitOptions).toEqual({ gold: [2, true], 'gold,silver': [2, true], silver: [1, true] })
    // It began once.
    await expect.poll(unmounted, waitOptions).toEqual(['resolved d2'])
  })
})
