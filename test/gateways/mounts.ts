import type { GatewayShare } from '@roost/api-types/rest'
import { describe, expect, it } from 'vitest'
import type { GatewayLab } from '../support/gateway/lab.js'
import { stopProxy } from '../support/swift/outage.js'

const hour = 3600

export function describeMounts(lab: GatewayLab): void {
  describe('mounts', () => {
    let quick: GatewayShare
    /** What is written to it stays on the gateway for an hour, unless somebody sees to it. */
    let late: GatewayShare
    const pathOf = ({ id }: GatewayShare) => `/srv/roost/shares/${id}`
    const runDir = () => `${lab.gateway.dir}/agent/mounts/run`
    const mountPids = () => lab.gateway.exec(`cut -d" " -f1 ${runDir()}/share-*.pid`)
    const md5Of = async (container: string, name: string) => (await lab.objects.find(container, name))?.etag
    const stored = (container: string, name: string, md5: string) =>
      expect.poll(() => md5Of(container, name), { timeout: 400_000, interval: 250 }).toBe(md5)
    /** The mount reads its folder now: for a minute it serves that without Swift. */
    const refresh = ({ id }: GatewayShare) =>
      lab.gateway.exec(`url=$(grep -o "http://127.0.0.1:[0-9]*/" ${runDir()}/share-${id}.log | tail -n 1)
        rclone rc --url $url --user roost-agent --pass $(cat ${runDir()}/../rc.key) vfs/refresh`)
    const isMounted = async (share: GatewayShare) =>
      (await lab.gateway.exec('cat /proc/self/mountinfo')).includes(` ${pathOf(share)} `)

    it('lie under the id of each enabled share, and belong to the account by which the servers write', async () => {
      quick = await lab.addShare({ name: 'quick', objectstore_container: 'quick', protocol: 'cifs' })
      late = await lab.addShare({ name: 'late', objectstore_container: 'late', protocol: 'cifs', upload_delay: hour })
      const off = await lab.addShare({ name: 'off', objectstore_container: 'off', enabled: false })
      const { plan } = await lab.deployed({ dry_run: true })
      expect(plan?.nodes[0]?.mounts).toEqual({ started: [pathOf(quick), pathOf(late)].toSorted(), stopped: [] })
      await lab.deployed()
      expect([await isMounted(quick), await isMounted(late), await isMounted(off)]).toEqual([true, true, false])
      expect(await lab.smb('quick', 'mkdir folder')).toMatchObject({ code: 0 })
      expect(await lab.gateway.exec(`stat -c '%U %a' ${pathOf(quick)}/folder`)).toBe('nobody 775\n')
    })

    it('keep the login to Swift where root alone reads it', async () => {
      const file = `${lab.gateway.dir}/agent/mounts/rclone.conf`
      expect(await lab.gateway.exec(`stat -c '%U %a' ${file}`)).toBe('root 600\n')
      expect(await lab.gateway.exec(`grep -c testing ${file}`)).toBe('1\n')
      const shown = await lab.gateway.exec('cat /proc/[0-9]*/cmdline | tr "\\0" "\\n"')
      expect(shown).not.toContain('testing')
      expect(lab.gateway.output()).not.toContain('testing')
    })

    it('stand on when the agent is killed, and are found again by the next one', async () => {
      const before = await mountPids()
      await lab.gateway.stopAgent('SIGKILL')
      expect(await lab.smb('quick', 'ls')).toMatchObject({ code: 0 })
      lab.gateway.startAgent()
      await expect.poll(() => lab.gateway.output(), { timeout: 180_000 }).toContain('connected to the control plane')
      const job = await lab.deployed({ dry_run: true })
      expect(job.plan?.nodes[0]?.mounts).toEqual({ started: [], stopped: [] })
      await lab.deployed()
      expect(await mountPids()).toBe(before)
    })

    it('are restored when rclone is killed, with the files that wait to be uploaded', async () => {
      const md5 = await lab.makeFile('waits.bin', 300_000)
      expect(await lab.smb('late', 'put waits.bin')).toMatchObject({ code: 0 })
      const name = `${runDir()}/share-${late.id}.pid`
      const pid = Number.parseInt(await lab.gateway.exec(`cat ${name}`), 10)
      await lab.gateway.exec(`kill -9 ${pid}`)
      await expect
        .poll(async () => (await lab.smb('late', 'get waits.bin back.bin')).code, { timeout: 400_000 })
        .toBe(0)
      await lab.swift.machine.exec('cmp waits.bin back.bin')
      expect(Number.parseInt(await lab.gateway.exec(`cat ${name}`), 10)).not.toBe(pid)
      expect(await md5Of('late', 'waits.bin')).not.toBe(md5)
    })

    it('are replaced for another container, as the plan says, and upload to the old one the files that were written to it', async () => {
      await lab.patch(late.resource_uri, { objectstore_container: 'later' })
      const { plan } = await lab.deployed({ dry_run: true })
      expect(plan?.nodes[0]).toMatchObject({
        mounts: { started: [pathOf(late)], stopped: [pathOf(late)] },
        notes: expect.arrayContaining([expect.stringContaining(`The mount ${pathOf(late)} will be replaced`)]),
      })
      await lab.deployed()
      await lab.swift.machine.exec('md5sum waits.bin > waits.md5')
      const [md5 = ''] = (await lab.swift.machine.exec('cat waits.md5')).split(' ')
      await stored('late', 'waits.bin', md5)
      expect((await lab.smb('late', 'ls')).stdout).not.toContain('waits.bin')
    })

    it('upload what is left before a deployment that ends them is done, however late it was due', async () => {
      const md5 = await lab.makeFile('last.bin', 400_000)
      expect(await lab.smb('late', 'put last.bin')).toMatchObject({ code: 0 })
      await lab.patch(late.resource_uri, { enabled: false })
      const job = await lab.deployed()
      // A deployment waits 20 s for uploads, and tells of those that take longer.
      expect(job.message).toMatch(/^$|are not complete; they continue\.$/)
      if (job.message !== '') await stored('later', 'last.bin', md5)
      expect(await md5Of('later', 'last.bin')).toBe(md5)
      expect(await isMounted(late)).toBe(false)
      expect((await lab.smb('late', 'ls')).stdout).toContain('NT_STATUS_BAD_NETWORK_NAME')
    })

    it('stand on without Swift, take files, and lose none of them', async () => {
      await lab.patch(late.resource_uri, { enabled: true })
      await lab.deployed()
      const md5 = await lab.makeFile('away.bin', 200_000)
      expect(await lab.smb('quick', 'ls')).toMatchObject({ code: 0 })
      expect(await lab.smb('late', 'ls')).toMatchObject({ code: 0 })
      const before = await mountPids()
      for (const share of [quick, late]) await refresh(share)
      const startProxy = await stopProxy(lab.swift)
      expect(await lab.smb('quick', 'put away.bin')).toMatchObject({ code: 0 })
      expect(await lab.smb('late', 'put away.bin')).toMatchObject({ code: 0 })
      const next = await lab.addShare({ name: 'next', objectstore_container: 'next' })
      const refused = await lab.deploy()
      expect([refused.state, refused.message]).toEqual(['COMPLETED_FAILED', expect.stringContaining('/auth/v1.0')])
      expect(await mountPids()).toBe(before)
      await lab.remove(next.resource_uri)
      await lab.remove(late.resource_uri)
      const job = await lab.deploy()
      expect([job.state, job.targets[0]?.message]).toEqual([
        'COMPLETED_SUCCESS',
        expect.stringContaining('not complete; they continue'),
      ])
      await startProxy()
      await stored('quick', 'away.bin', md5)
      await stored('later', 'away.bin', md5)
    })
  })
}
