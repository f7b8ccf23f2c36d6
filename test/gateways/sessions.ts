import { once } from 'node:events'
import type { GatewayShare } from '@roost/api-types/rest'
import { describe, expect, it, onTestFinished } from 'vitest'
import { addresses } from '../support/gateway/gateway.js'
import type { GatewayLab } from '../support/gateway/lab.js'
import type { MachineProcess } from '../support/swift/machine.js'

const [near, far] = addresses

export function describeSessions(lab: GatewayLab): void {
  describe('sessions', () => {
    const endOf = async ({ child }: MachineProcess): Promise<unknown> =>
      child.exitCode ?? (await once(child, 'close'))[0]
    const connected = async () => (await lab.gateway.exec('smbstatus -S')).split('\n')

    /** Writes for as long as the file is there; however long that is, Swift's small disks have room for it. */
    const writing = async (share: GatewayShare, address: string, name: string): Promise<MachineProcess> => {
      const stop = `${lab.swift.machine.dir}/writing`
      const session = lab.smbStream(
        share.name,
        `while [ -e ${stop} ]; do head -c 131072 /dev/zero || exit 1; sleep 0.1; done`,
        name,
        {
          address,
        },
      )
      const isThere = async () =>
        (await connected()).some((line) => line.includes(share.name) && line.includes(address))
      await expect.poll(isThere, { timeout: 120_000 }).toBe(true)
      return session
    }

    it('of a share that is narrowed end as the plan says, and no others', async () => {
      const narrow = await lab.addShare({ name: 'narrow', objectstore_container: 'narrow', protocol: 'cifs' })
      const wide = await lab.addShare({ name: 'wide', objectstore_container: 'wide', protocol: 'cifs' })
      await lab.deployed()
      onTestFinished(async () => void (await lab.swift.machine.exec('rm -f writing')))
      await lab.swift.machine.exec('touch writing')
      const kept = [await writing(narrow, near, 'near.bin'), await writing(wide, far, 'far.bin')]
      const lost = await writing(narrow, far, 'far.bin')
      const clientsOf = async ({ resource_uri: uri }: GatewayShare) => (await lab.get(`${uri}sessions/`)).sessions
      const session = (client: string) => ({ client, user: 'nobody' })
      expect(new Set(await clientsOf(narrow))).toEqual(new Set([near, far].map(session)))
      expect(await clientsOf(wide)).toEqual([session(far)])
      await lab.patch(narrow.resource_uri, { clients_allowed_list: near })
      const { plan } = await lab.deployed({ dry_run: true })
      const samba = plan?.nodes[0]?.daemons.find(({ action }) => action === 'close-share')
      expect(samba?.sessions_lost).toEqual([{ share: 'narrow', client: far, user: 'nobody' }])
      await lab.deployed({ plan_id: plan?.plan_id })
      expect(await endOf(lost)).not.toBe(0)
      expect(kept.map(({ child }) => child.exitCode)).toEqual([null, null])
      await lab.swift.machine.exec('rm writing')
      expect(await Promise.all(kept.map(endOf))).toEqual([0, 0])
      expect((await lab.smb('narrow', 'ls', { address: far })).stdout).toContain('NT_STATUS_ACCESS_DENIED')
    })

    it('of NFS find a share again whose mount was restarted', async () => {
      const share = await lab.addShare({ name: 'moves', objectstore_container: 'from' })
      await lab.deployed()
      await lab.makeFile('moves.bin', 10_000)
      expect(await lab.nfsPut('moves.bin', 'moves', 'one.bin')).toMatchObject({ code: 0 })
      await lab.patch(share.resource_uri, { objectstore_container: 'to' })
      await lab.deployed()
      expect((await lab.nfsList('moves')).stdout).not.toContain('one.bin')
      expect(await lab.nfsPut('moves.bin', 'moves', 'two.bin')).toMatchObject({ code: 0 })
      await expect.poll(() => lab.objects.list('to'), { timeout: 180_000 }).toEqual(['two.bin'])
      await expect.poll(() => lab.objects.list('from'), { timeout: 180_000 }).toEqual(['one.bin'])
      await lab.gateway.exec(`kill -9 $(sed "s/ .*//;q" ${lab.gateway.dir}/agent/mounts/run/share-${share.id}.pid)`)
      await expect
        .poll(async () => (await lab.nfsList('moves')).stdout, { timeout: 180_000, interval: 500 })
        .toContain('two.bin')
    })

    it('see what an operator changed by hand, which is drift until it is adopted', async () => {
      const share = (await lab.get('/api/v1/gateway_shares/?name=wide')).objects[0]
      const file = '/etc/samba/roost.d/shares.conf'
      await lab.gateway.exec(`sed -i '/^\\[wide\\]/,/^\\[/s/read only = no/read only = yes/' ${file}
        smbcontrol smbd reload-config`)
      const drift = async () => (await lab.get(`${lab.node}drift/`)).kinds[0]
      await expect
        .poll(async () => (await drift()).items, { timeout: 240_000 })
        .toMatchObject([{ subject: file, adoptable: true }])
      expect((await lab.get(lab.node)).config_state).toBe('drifted')
      const answer = await lab.api.call(`${lab.node}drift/`, { method: 'POST', body: { action: 'adopt' } })
      expect(answer.status).toBe(202)
      await expect.poll(async () => (await lab.get(lab.node)).config_state, { timeout: 240_000 }).toBe('synced')
      expect(await lab.get(share.resource_uri)).toMatchObject({ access_mode: 'ro' })
      await expect.poll(async () => (await drift()).items, { timeout: 240_000 }).toEqual([])
      expect((await lab.smb('wide', 'mkdir refused')).stdout).toContain('NT_STATUS_')
    })
  })
}
