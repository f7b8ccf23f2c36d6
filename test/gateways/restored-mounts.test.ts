import { existsSync } from 'node:fs'
import type { GatewayShare, Job } from '@roost/api-types/rest'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { expectPromised } from '../support/clock/promised.js'
import { startGatewayLab } from '../support/gateway/lab.js'
import type { GatewayLab } from '../support/gateway/lab.js'
import { isSwiftEnabled } from '../support/swift/cluster.js'
import { stopProxy } from '../support/swift/outage.js'

vi.setConfig({ testTimeout: 600_000, hookTimeout: 600_000 })
/** Listings are kept for 5 minutes. */
const awayMs = 270_000
const waitOptions = { timeout: 180_000, interval: 200 }

describe.skipIf(!isSwiftEnabled || !existsSync('/dev/fuse') || !process.env['ROOST_TEST_LONG'])(
  'the mounts of a gateway over a real Swift (as root, with ROOST_TEST_SYSTEM=1 and /dev/fuse)',
  () => {
    const lab = {} as GatewayLab
    let shares: readonly GatewayShare[] = []
    let partial: Job | undefined
    const pathOf = ({ id }: GatewayShare) => `/srv/roost/shares/${id}`
    const pidOf = async ({ id }: GatewayShare) =>
      Number.parseInt(await lab.gateway.exec(`cat ${lab.gateway.dir}/agent/mounts/run/share-${id}.pid`), 10)
    const configState = async () => (await lab.get(lab.node)).config_state
    const isServed = async ({ name }: GatewayShare) => (await lab.smb(name, 'ls')).code === 0
    const restored = async ({ id }: GatewayShare) =>
      (await lab.get(`/api/v1/audit_events/?action=restored&resource=gateway_shares&resource_id=${id}`)).objects

    beforeAll(async () => {
      Object.assign(lab, await startGatewayLab())
      await lab.setStorage()
      const make = (name: string) => lab.addShare({ name, objectstore_container: name, protocol: 'cifs' })
      shares = [await make('one'), await make('two'), await make('three')]
    })
    afterAll(() => lab.stop?.())

    it('are deployed without the share that cannot be mounted', async () => {
      const [one, two, three] = shares as [GatewayShare, GatewayShare, GatewayShare]
      await lab.gateway.exec(`mkdir -p /srv/roost/shares && touch ${pathOf(two)}`)
      const job = await lab.deploy()
      expect(job).toMatchObject({
        state: 'COMPLETED_FAILED',
        targets: [
          {
            state: 'failed',
            message: expect.stringContaining("Shares that are not served because they are not mounted: 'two'."),
          },
        ],
      })
      expect([await isServed(one), await isServed(two), await isServed(three)]).toEqual([true, false, true])
      expect([await configState(), (await lab.get(`${lab.node}drift/`)).items ?? []]).toEqual(['pending', []])
      partial = job
      // From now on it can be mounted, and the agent tries within a minute.
      await lab.gateway.exec(`rm ${pathOf(two)}`)
    })

    it.each([
      ['stopped', 'STOP', 'The mount did not answer.'],
      ['killed', 'KILL', 'Its rclone process was not running.'],
    ])('serve again after rclone was %s, which is an event of the audit', async (_what, signal, reason) => {
      const [one, , three] = shares as [GatewayShare, GatewayShare, GatewayShare]
      const others = await pidOf(three)
      const before = await pidOf(one)
      const events = (await restored(one)).length
      await lab.gateway.exec(`kill -${signal} ${before}`)
      const begun = performance.now()
      // A client that asks meanwhile waits, or gets an error, and does not keep the mount from coming back.
      const waiting = lab.smb(one.name, 'ls')
      await expect.poll(() => pidOf(one).catch(() => before), waitOptions).not.toBe(before)
      await expect.poll(() => isServed(one), waitOptions).toBe(true)
      expectPromised('a share after its rclone ended', performance.now() - begun, 20_000)
      await waiting
      await expect.poll(async () => (await restored(one)).length, waitOptions).toBe(events + 1)
      expect(
        (await restored(one)).some(({ changes }: { changes: object }) => JSON.stringify(changes).includes(reason)),
      ).toBe(true)
      expect(await pidOf(three)).toBe(others)
    })

    it('are completed by the agent, while the job that has ended stays as it is', async () => {
      const [, two] = shares as [GatewayShare, GatewayShare]
      await expect.poll(configState, waitOptions).toBe('synced')
      expect(await isServed(two)).toBe(true)
      expect(await lab.get(partial?.resource_uri ?? '')).toEqual(partial)
    })

    it('list folders and take files for minutes without Swift, and show what others write', async () => {
      const [one] = shares as [GatewayShare]
      const md5 = await lab.makeFile('away.bin', 200_000)
      await lab.swift.machine.exec('echo other > other.txt')
      expect(await lab.smb(one.name, 'mkdir folder')).toMatchObject({ code: 0 })
      expect(await lab.smb(one.name, 'put other.txt folder/first.txt')).toMatchObject({ code: 0 })
      await expect.poll(async () => await lab.objects.find('one', 'folder/first.txt'), waitOptions).toBeDefined()
      await lab.objects.put('one', 'folder/others.txt', 'theirs')
      const begun = performance.now()
      const listed = async () => (await lab.smb(one.name, 'ls folder/*')).stdout
      await expect.poll(listed, waitOptions).toContain('others.txt')
      expectPromised('an object of others in a listing', performance.now() - begun, 65_000)
      const startProxy = await stopProxy(lab.swift)
      for (const end = performance.now() + awayMs; performance.now() < end; await sleep(10_000)) {
        const asked = performance.now()
        expect(await listed()).toContain('others.txt')
        expectPromised('a listing without Swift', performance.now() - asked, 15_000)
      }
      expect(await lab.smb(one.name, 'put away.bin folder/away.bin')).toMatchObject({ code: 0 })
      const problems = async () => JSON.stringify((await lab.get(lab.node)).problems)
      await expect.poll(problems, waitOptions).toContain('storage_unreachable')
      await startProxy()
      await expect
        .poll(async () => (await lab.objects.find('one', 'folder/away.bin'))?.etag, {
          ...waitOptions,
          timeout: 400_000,
        })
        .toBe(md5)
      await expect.poll(problems, waitOptions).not.toContain('storage_unreachable')
    })
  },
)
