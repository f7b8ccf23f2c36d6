import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
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
      const configState = async () => (await lab.get(lab.node)).config_state
      const smbConf = join(lab.gateway.dir, 'etc/samba/smb.conf')
      const original = await readFile(smbConf)
      // Whatever becomes of this test, the next ones find Samba as it was.
      onTestFinished(() => writeFile(smbConf, original))
      await appendFile(smbConf, '[broken]\nguest ok = maybe\n')
      const job = await lab.deploy()
      expect([job.state, job.message]).toEqual([
        'COMPLETED_FAILED',
        'CIFS could not be deployed: testparm: set_variable_helper(maybe): value is not boolean! NFS is deployed.',
      ])
      // Pending; drifted, once the agent has seen that the configuration in force is not accepted any more either.
      expect(await configState()).toMatch(/^(?:pending|drifted)$/)
      expect(await lab.nfsList('half-nfs')).toMatchObject({ code: 0 })
      expect((await shown()).stdout).toContain('NT_STATUS_BAD_NETWORK_NAME')
      expect(await lab.smb('docs', 'ls')).toMatchObject({ code: 0 })
      expect(await mounted()).toEqual([true, false])
      await writeFile(smbConf, original)
      await lab.deployed()
      await expect.poll(configState, { timeout: 240_000 }).toBe('synced')
      expect([await mounted(), await shown()]).toMatchObject([[true, true], { code: 0 }])
    })
  })
}
