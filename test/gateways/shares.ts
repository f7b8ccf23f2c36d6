import { once } from 'node:events'
import type { GatewayShare } from '@roost/api-types/rest'
import { describe, expect, it, onTestFinished } from 'vitest'
import { addresses } from '../support/gateway/gateway.js'
import type { GatewayLab } from '../support/gateway/lab.js'

const [near, far] = addresses
const alice = { login: 'alice%alicepass' }

/** A file is never due sooner after its last close, which is what the default comes to. */
const shortestDelayMs = 5_000
/** How long after its upload is due a file may be on its way to Swift, with much else to do. */
const uploadMs = 150_000
/** A mount looks once a minute for what others have put into its container. */
const listed = { timeout: 180_000, interval: 500 }

export function describeShares(lab: GatewayLab): void {
  describe('shares', () => {
    const stored = async (container: string, name: string) => {
      await expect.poll(() => lab.objects.find(container, name), { timeout: 180_000 }).toBeDefined()
      const object = await lab.objects.find(container, name)
      if (object === undefined) throw new Error(`${container}/${name} was there and is not.`)
      return object
    }

    it('fail without the storage login of the cluster, with the command that sets it', async () => {
      const share = await lab.addShare({ name: 'early', objectstore_container: 'early' })
      onTestFinished(() => lab.remove(share.resource_uri))
      const job = await lab.deploy()
      expect([job.state, job.message]).toEqual([
        'COMPLETED_FAILED',
        expect.stringContaining('roost cluster set-storage'),
      ])
    })

    it('fail with a login that Swift refuses, and nothing is mounted', async () => {
      onTestFinished(() => lab.setStorage())
      await lab.setStorage('wrong')
      const share = await lab.addShare({ name: 'early', objectstore_container: 'early' })
      onTestFinished(() => lab.remove(share.resource_uri))
      const job = await lab.deploy()
      const refused = expect.stringContaining('rejected the login of test:tester')
      expect([job.state, job.message]).toEqual(['COMPLETED_FAILED', refused])
      expect(job.message).not.toContain('wrong')
      expect(await lab.gateway.exec('grep -c fuse.rclone /proc/self/mountinfo || true')).toBe('0\n')
    })

    it('take files by SMB and NFS, which are objects with the same MD5 in time', async () => {
      await lab.addShare({ name: 'docs', objectstore_container: 'documents', protocol: 'cifs' })
      await lab.addShare({ name: 'files', objectstore_container: 'files' })
      await lab.deployed()
      const bySmb = await lab.makeFile('by-smb.bin', 500_000)
      const byNfs = await lab.makeFile('by-nfs.bin', 700_000)
      expect(await lab.smb('docs', 'put by-smb.bin')).toMatchObject({ code: 0 })
      const smbEnd = Date.now()
      expect(await lab.nfsPut('by-nfs.bin', 'files', 'by-nfs.bin')).toMatchObject({ code: 0 })
      const nfsEnd = Date.now()
      const written = [
        { object: await stored('documents', 'by-smb.bin'), md5: bySmb, end: smbEnd },
        { object: await stored('files', 'by-nfs.bin'), md5: byNfs, end: nfsEnd },
      ]
      for (const { object, md5, end } of written) {
        expect(object.etag).toBe(md5)
        expect(object.writtenAt - end).toBeLessThanOrEqual(shortestDelayMs + uploadMs)
      }
      expect(await lab.nfsGet('files', 'by-nfs.bin', 'back.bin')).toMatchObject({ code: 0 })
      await lab.swift.machine.exec('cmp by-nfs.bin back.bin')
    })

    it('that are read-only refuse writes', async () => {
      await lab.addShare({ name: 'docs-ro', objectstore_container: 'documents', protocol: 'cifs', access_mode: 'ro' })
      await lab.addShare({ name: 'files-ro', objectstore_container: 'files', access_mode: 'ro' })
      await lab.deployed()
      await expect.poll(async () => (await lab.smb('docs-ro', 'ls')).stdout, listed).toContain('by-smb.bin')
      expect((await lab.smb('docs-ro', 'put by-smb.bin again.bin')).stdout).toContain('NT_STATUS_')
      await expect.poll(async () => (await lab.nfsList('files-ro')).stdout, listed).toContain('by-nfs.bin')
      expect((await lab.nfsPut('by-nfs.bin', 'files-ro', 'again.bin')).stderr).toContain('NFS3ERR_ROFS')
      await expect.poll(() => lab.objects.list('documents')).toEqual(['by-smb.bin'])
      await expect.poll(() => lab.objects.list('files')).toEqual(['by-nfs.bin'])
    })

    it('refuse clients that are not on their list, by SMB and by NFS', async () => {
      const list = { clients_allowed_list: near }
      await lab.addShare({ name: 'docs-near', objectstore_container: 'documents', protocol: 'cifs', ...list })
      await lab.addShare({ name: 'files-near', objectstore_container: 'files', ...list })
      await lab.deployed()
      expect(await lab.smb('docs-near', 'ls')).toMatchObject({ code: 0 })
      expect(await lab.nfsList('files-near')).toMatchObject({ code: 0 })
      expect((await lab.smb('docs-near', 'ls', { address: far })).stdout).toContain('NT_STATUS_ACCESS_DENIED')
      expect((await lab.nfsList('files-near', { address: far })).stderr).toContain('MNT3ERR_ACCES')
      expect(await lab.smb('docs', 'ls', { address: far })).toMatchObject({ code: 0 })
    })

    it('are written, read and refused by NFSv4 as by NFSv3', async () => {
      await lab.addShare({ name: 'four', objectstore_container: 'four' })
      await lab.deployed()
      const v4 = { version: 4 } as const
      const md5 = await lab.makeFile('by-v4.bin', 60_000)
      expect(await lab.nfsPut('by-v4.bin', 'four', 'by-v4.bin', v4)).toMatchObject({ code: 0 })
      const end = Date.now()
      const object = await stored('four', 'by-v4.bin')
      expect(object.etag).toBe(md5)
      expect(object.writtenAt - end).toBeLessThanOrEqual(shortestDelayMs + uploadMs)
      expect((await lab.nfsList('four', v4)).stdout).toContain('by-v4.bin')
      expect(await lab.nfsGet('files', 'by-nfs.bin', 'back-v4.bin', v4)).toMatchObject({ code: 0 })
      await lab.swift.machine.exec('cmp by-nfs.bin back-v4.bin')
      expect((await lab.nfsPut('by-v4.bin', 'files-ro', 'again.bin', v4)).stderr).toContain('NFS4ERR_ROFS')
      expect(await lab.nfsList('files-near', v4)).toMatchObject({ code: 0 })
      expect((await lab.nfsList('files-near', { ...v4, address: far })).stderr).toContain('NFS4ERR_NOENT')
      await expect.poll(() => lab.objects.list('files')).toEqual(['by-nfs.bin'])
    })

    it('let guests and users in as they are set', async () => {
      const closed = { protocol: 'cifs', cifs_guest_ok: false }
      await lab.addShare({ name: 'alices', objectstore_container: 'alices', ...closed, cifs_valid_users: 'alice' })
      const own = await lab.addShare({
        name: 'own',
        objectstore_container: 'own',
        ...closed,
        password: 'Share-Passw0rd',
      })
      await lab.deployed()
      const ownLogin = { login: `share-${own.id}%Share-Passw0rd` }
      expect(await lab.smb('alices', 'ls', alice)).toMatchObject({ code: 0 })
      expect(await lab.smb('own', 'put by-smb.bin', ownLogin)).toMatchObject({ code: 0 })
      const refused = [
        ['alices', {}],
        ['alices', { login: 'alice%wrong' }],
        ['alices', ownLogin],
        ['own', {}],
        ['own', alice],
        ['own', { login: `share-${own.id}%wrong` }],
      ] as const
      for (const [share, login] of refused)
        expect({ share, login, ...(await lab.smb(share, 'ls', login)) }).toMatchObject({
          stdout: expect.stringMatching(/NT_STATUS_(?:ACCESS_DENIED|LOGON_FAILURE)/),
        })
      await stored('own', 'by-smb.bin')
    })

    it('are disabled and removed while sessions of others transfer 100 MB without a break', async () => {
      const md5 = await lab.makeFile('large.bin', 100 << 20)
      const { dir } = lab.swift.machine
      const piece = `dd if=${dir}/large.bin bs=4M skip=$i count=1 status=none`
      // However long the deployments take, the transfers outlast them, and end with the test.
      onTestFinished(async () => void (await lab.swift.machine.exec('touch deployed')))
      const pause = `sleep 0.4; while [ $i = 23 ] && [ ! -e ${dir}/deployed ]; do sleep 0.1; done`
      const smb = lab.smbStream('docs', `for i in $(seq 0 24); do ${piece}; ${pause}; done`, 'large.bin')
      const nfs = lab.nfsStream('large.bin', 'files', 'large.bin', 25, 'deployed')
      const named = async (name: string): Promise<GatewayShare> =>
        (await lab.get(`/api/v1/gateway_shares/?name=${name}`)).objects[0]
      for (const name of ['docs', 'files']) {
        const file = `/srv/roost/shares/${(await named(name)).id}/large.bin`
        await expect.poll(() => lab.gateway.run('test', ['-s', file]), { timeout: 180_000 }).toMatchObject({ code: 0 })
      }
      for (const name of ['docs-ro', 'files-ro']) await lab.patch((await named(name)).resource_uri, { enabled: false })
      await lab.deployed()
      for (const name of ['alices', 'files-near']) await lab.remove((await named(name)).resource_uri)
      await lab.deployed()
      const said = () => `${smb.output()}${nfs.output()}`
      expect({ codes: [smb.child.exitCode, nfs.child.exitCode], said: said() }).toMatchObject({ codes: [null, null] })
      expect((await lab.smb('docs-ro', 'ls')).stdout).toContain('NT_STATUS_BAD_NETWORK_NAME')
      expect((await lab.nfsList('files-ro')).code).not.toBe(0)
      await lab.swift.machine.exec('touch deployed')
      const ends = [smb, nfs].map(async ({ child }) => child.exitCode ?? (await once(child, 'close'))[0])
      expect({ codes: await Promise.all(ends), said: said() }).toMatchObject({ codes: [0, 0] })
      // What was there while the transfer waited for the deployments was uploaded, too.
      for (const container of ['documents', 'files'])
        await expect
          .poll(async () => (await lab.objects.find(container, 'large.bin'))?.etag, { timeout: 240_000 })
          .toBe(md5)
    })
  })
}
