import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startApi } from '../support/http/api.js'
import type { TestApi } from '../support/http/api.js'
import { addCluster } from '../support/agents/fleet-rows.js'
import { runToEnd } from '../support/programs/processes.js'
import { SwiftNode } from './swift-node.js'

const isEnabled = process.env.ROOST_TEST_SYSTEM === '1' && process.getuid?.() === 0

/**
 * Makes ext4 filesystems with 5 % of reserved blocks on loop devices, in a mount namespace that ends with the agent. What `df` says of
 * them goes into a file as the agent starts, and nothing writes to them afterwards.
 */
function prepare(root: string, devices: readonly string[]): string {
  return [
    ...devices.flatMap((device) => [
      `truncate -s 256M ${device}.img`,
      `mkfs.ext4 -q -F -m 5 ${device}.img`,
      `mount -o loop ${device}.img ${root}/srv/node/${device}`,
      `head -c 20000000 /dev/urandom > ${root}/srv/node/${device}/data`,
    ]),
    'sync',
    ...devices.map(
      (device) => `df -B1 --output=size,used,avail,pcent ${root}/srv/node/${device} | tail -1 > ${device}.df`,
    ),
    ...devices.map((device) => `blkid -p -s UUID -o value ${device}.img > ${device}.uuid`),
  ].join('\n')
}

/** The agent looks into its devices now and then, and what is looked into is busy. */
const unmount = 'unmount() { for i in $(seq 600); do umount $1 && return; sleep 0.1; done; return 1; }\n'

describe.skipIf(!isEnabled)(
  'a Swift node with ext4 and reserved blocks (as root, with ROOST_TEST_SYSTEM=1)',
  { timeout: 240_000 },
  () => {
    let api: TestApi
    let cluster: number
    let node: SwiftNode
    beforeAll(async () => {
      api = await startApi()
      cluster = await addCluster(api.database, 'lab')
      node = await SwiftNode.create('127.0.2.1', ['d1', 'd2'])
      await node.enroll(api, cluster)
      node.start(prepare(node.root, ['d1', 'd2']))
    })
    afterAll(async () => {
      await node.stop()
      await api.stop()
    })

    const devices = async (): Promise<readonly Record<string, unknown>[]> =>
      (await api.get('/api/v1/devices/?order_by=name')).body.objects

    async function written(name: string): Promise<string> {
      return (await runToEnd('cat', [`${node.dir}/${name}`])).stdout.trim()
    }

    async function until(isSo: () => Promise<boolean>): Promise<void> {
      const deadline = Date.now() + 180_000
      while (!(await isSo())) {
        if (Date.now() > deadline) throw new Error(node.output)
        await sleep(100)
      }
    }

    it('reports what df says of each, and the UUID that tells it', async () => {
      await until(async () => (await devices()).filter(({ status }) => status === 'ok').length === 2)
      for (const device of await devices()) {
        const [, used, available, percent] = (await written(`${String(device.name)}.df`)).split(/\s+/)
        expect(device).toMatchObject({
          uuid: await written(`${String(device.name)}.uuid`),
          fs_type: 'ext4',
          mount_point: `/srv/node/${String(device.name)}`,
          size_bytes: 256 * 2 ** 20,
          used_bytes: Number(used),
          free_bytes: Number(available),
          raw_bytes: Number(used) + Number(available),
        })
        expect(Math.ceil(device.used_pct as number)).toBe(Number(percent?.replace('%', '')))
      }
    })

    it('sums them up by the sets of their policies', async () => {
      const rows = await devices()
      const { body } = await api.get(`/api/v1/clusters/${cluster}/capacity/list/`)
      expect(body.capacity).toHaveLength(2)
      for (const [i, ringSet] of ['gold', 'gold,silver'].entries()) {
        const device = rows.find(({ policies }) => (policies as string[]).join() === ringSet)
        const element = body.capacity[i]
        expect(element.ring_set).toBe(ringSet)
        expect(element.total_raw_tb).toBeCloseTo((device?.raw_bytes as number) / 1e12, 12)
        expect(element.total_used_tb).toBeCloseTo((device?.used_bytes as number) / 1e12, 12)
        expect(element.pct_used_stats).toMatchObject({ count: 1, stddev: 0 })
        expect(element.pct_used_stats.pct_95).toBeCloseTo(device?.used_pct as number, 9)
      }
    })

    it('counts a device that is unmounted without its usage, and keeps its last values', async () => {
      const before = (await devices()).find(({ name }) => name === 'd2')
      await node.within(`${unmount}unmount ${node.root}/srv/node/d2`)
      await until(async () => (await devices()).some(({ mount_point }) => mount_point === null))
      const after = (await devices()).find(({ name }) => name === 'd2')
      expect(after).toMatchObject({ id: before?.id, uuid: before?.uuid, mount_point: null, status: 'unmounted' })
      const { body } = await api.get(`/api/v1/clusters/${cluster}/capacity/list/`)
      expect(body.capacity[0]).toMatchObject({ ring_set: 'gold', total_raw_tb: 0, pct_used_stats: { count: 1 } })
    })

    it('knows the disks again when they have swapped their places', async () => {
      const idByUuid = async () => new Map((await devices()).map(({ uuid, id }) => [uuid, id]))
      const before = await idByUuid()
      const folder = `${node.root}/srv/node`
      await node.within(
        `${unmount}unmount ${folder}/d1; mount -o loop d2.img ${folder}/d1; mount -o loop d1.img ${folder}/d2`,
      )
      const first = await written('d1.uuid')
      await until(async () => (await devices()).some(({ name, uuid }) => name === 'd2' && uuid === first))
      expect(await idByUuid()).toEqual(before)
      expect((await devices()).map(({ status }) => status)).toEqual(['ok', 'ok'])
    })
  },
)
