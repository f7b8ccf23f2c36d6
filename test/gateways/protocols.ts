import { describe, expect, it } from 'vitest'
import type { GatewayLab } from '../support/gateway/lab.js'

export function describeProtocols(lab: GatewayLab): void {
  describe('a protocol', () => {
    it('is deployed while the other one’s server refuses its configuration, and the node is not synced until both are', async () => {
      const nfs = await lab.addShare({ name: 'half-nfs', objectstore_container: 'half' })
      const smb = await lab.addShare({ name: 'half-smb', objectstore_container: 'half', protocol: 'cifs' })
      const shown = () => lab.smb('half-smb', 'ls')
      const mounted = async () => {
        const mounts = await lab.gateway.exec('cat /proc/self/mountinfo')
        return [nfs, smb].map(({ id }) => mounts.includes(` /srv/roost/shares/${id} `))
      }
      await lab.gateway.exec(`printf '[broken]\\nguest ok = maybe\\n' >>/etc/samba/smb.conf`)
      const job = await lab.deploy()
      expect([job.state, job.message]).toEqual([
        'COMPLETED_FAILED',
        expect.stringMatching(/^CIFS could not be deployed: testparm: .* NFS is deployed\.$/s),
      ])
      expect((await lab.get(lab.node)).config_state).toBe('pending')
      expect(await lab.nfsList('half-nfs')).toMatchObject({ code: 0 })
      expect((await shown()).stdout).toContain('NT_STATUS_BAD_NETWORK_NAME')
      expect(await lab.smb('docs', 'ls')).toMatchObject({ code: 0 })
      expect(await mounted()).toEqual([true, false])
      await lab.gateway.exec(`sed -i '/^\\[broken\\]/,$d' /etc/samba/smb.conf`)
      await lab.deployed()
      expect((await lab.get(lab.node)).config_state).toBe('synced')
      expect([await mounted(), await shown()]).toMatchObject([[true, true], { code: 0 }])
    })
  })
}
