import { once } from 'node:events'
import type { GatewayShare } from '@roost/api-types/rest'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { GatewayLab } from '../support/gateway/lab.js'

const waiting = { timeout: 300_000, interval: 500 }

export function describeOutdatedMounts(lab: GatewayLab): void {
  describe('mounts that an earlier version of the agent started', () => {
    let smb: GatewayShare
    let nfs: GatewayShare
    const runDir = () => `${lab.gateway.dir}/agent/mounts/run`
    const pidOf = async ({ id }: GatewayShare) =>
      Number.parseInt(await lab.gateway.exec(`cat ${runDir()}/share-${id}.pid`), 10)
    /** As 0.1.0 recorded it: the fingerprint alone. */
    const age = ({ id }: GatewayShare) =>
      lab.gateway.exec(`cd ${runDir()}; printf %s "$(grep -oE '[0-9a-f]{64}' share-${id}.with | head -n 1)" > old
        mv old share-${id}.with`)
    const outdated = async (): Promise<string[]> => {
      const { problems } = await lab.get(lab.node)
      return problems
        .filter(({ code }: { code: string }) => code === 'mount_outdated')
        .map(({ subject }: { subject: string }) => subject)
    }
    /** Writes until the file is removed. */
    const startWriting = async (share: GatewayShare, name: string) => {
      await lab.swift.machine.exec('touch writing')
      onTestFinished(async () => void (await lab.swift.machine.exec('rm -f writing')))
      const stop = `${lab.swift.machine.dir}/writing`
      const source = `while [ -e ${stop} ]; do head -c 65536 /dev/zero || exit 1; sleep 0.1; done`
      const session = lab.smbStream(share.name, source, name)
      const isOpen = async () => (await lab.gateway.exec('smbstatus -L')).includes(name)
      await expect.poll(isOpen, waiting).toBe(true)
      return async () => {
        await lab.swift.machine.exec('rm -f writing')
        return session.child.exitCode ?? (await once(session.child, 'close'))[0]
      }
    }

    it('are restarted once no client has a file open there, and lose nothing', async () => {
      smb = await lab.addShare({ name: 'aged-smb', objectstore_container: 'aged', protocol: 'cifs' })
      nfs = await lab.addShare({ name: 'aged-nfs', objectstore_container: 'aged' })
      await lab.deployed()
      const [smbPid, nfsPid] = [await pidOf(smb), await pidOf(nfs)]
      const endWriting = await startWriting(smb, 'written.bin')
      await lab.gateway.stopAgent('SIGKILL')
      for (const share of [smb, nfs]) await age(share)
      lab.gateway.startAgent()
      await expect.poll(outdated, waiting).toContain('aged-smb')
      await expect.poll(() => pidOf(nfs), waiting).not.toBe(nfsPid)
      await expect.poll(outdated, waiting).toEqual(['aged-smb'])
      expect(await pidOf(smb)).toBe(smbPid)
      expect(await endWriting()).toBe(0)
      await expect.poll(() => pidOf(smb), waiting).not.toBe(smbPid)
      await expect.poll(outdated, waiting).toEqual([])
      expect(await lab.smb('aged-smb', 'get written.bin back.bin')).toMatchObject({ code: 0 })
      const [md5 = ''] = (await lab.swift.machine.exec('md5sum back.bin')).split(' ')
      await expect.poll(async () => (await lab.objects.find('aged', 'written.bin'))?.etag, waiting).toBe(md5)
    })

    it('are replaced by the next deployment, whose plan names the sessions', async () => {
      const before = await pidOf(smb)
      const endWriting = await startWriting(smb, 'open.bin')
      await age(smb)
      await expect.poll(outdated, waiting).toEqual(['aged-smb'])
      const { plan } = await lab.deployed({ dry_run: true })
      const path = `/srv/roost/shares/${smb.id}`
      expect(plan?.nodes[0]?.mounts).toEqual({ started: [path], stopped: [path] })
      const lost = plan?.nodes[0]?.daemons.flatMap(({ sessions_lost }) => sessions_lost)
      expect(lost).toMatchObject([{ share: 'aged-smb' }])
      await lab.deployed({ plan_id: plan?.plan_id })
      expect(await pidOf(smb)).not.toBe(before)
      expect(await endWriting()).not.toBe(0)
      await expect.poll(outdated, waiting).toEqual([])
    })

    it('take another size of their cache once no client has a file open there, without a deployment that ends sessions', async () => {
      const sizeOf = async (share: GatewayShare) => {
        const args = (await lab.gateway.exec(`tr '\\0' ' ' < /proc/${await pidOf(share)}/cmdline`)).split(' ')
        return args[args.indexOf('--vfs-cache-max-size') + 1]
      }
      const share = await lab.addShare({ name: 'sized', objectstore_container: 'sized', cache_size_mb: 64 })
      await lab.deployed()
      expect(await sizeOf(share)).toBe('64M')
      await lab.patch(share.resource_uri, { cache_size_mb: 80 })
      const { plan } = await lab.deployed({ dry_run: true })
      expect(plan?.nodes[0]?.mounts).toEqual({ started: [], stopped: [] })
      await lab.deployed()
      await expect.poll(() => sizeOf(share), waiting).toBe('80M')
    })
  })
}
