import { describe, expect, it } from 'vitest'
import type { GatewayLab } from '../support/gateway/lab.js'

/** Ends the control plane: nothing that asks it comes after this. */
export function describeControlPlaneAbsent(lab: GatewayLab): void {
  describe('without the control plane', () => {
    const mounts = async () => (await lab.gateway.exec('pgrep -x rclone')).trim().split('\n')
    // The oldest smbd: the others are its clients'.
    const servers = () => lab.gateway.exec('pgrep -o -x smbd; pgrep -x "rpc.mountd|ganesha.nfsd"')

    it('shares are still served, also when the agent is restarted', async () => {
      await lab.addShare({ name: 'alone', objectstore_container: 'alone', protocol: 'cifs' })
      await lab.deployed()
      const enabled = (await lab.get('/api/v1/gateway_shares/?enabled=true&limit=0')).objects
      // Mounts of shares that earlier tests removed end once their last files are uploaded.
      await expect.poll(mounts, { timeout: 300_000, interval: 500 }).toHaveLength(enabled.length)
      await lab.api.controlPlane.server.close()
      const before = { mounts: await mounts(), servers: await servers() }
      await lab.gateway.stopAgent('SIGKILL')
      lab.gateway.startAgent()
      const md5 = await lab.makeFile('alone.bin', 200_000)
      expect(await lab.smb('alone', 'put alone.bin')).toMatchObject({ code: 0 })
      await expect
        .poll(async () => (await lab.objects.find('alone', 'alone.bin'))?.etag, { timeout: 180_000, interval: 250 })
        .toBe(md5)
      await expect.poll(() => lab.gateway.output(), { timeout: 180_000 }).toContain('agent started')
      // The agent that has just started runs programs of these names for a moment, to read their versions.
      await expect.poll(async () => ({ mounts: await mounts(), servers: await servers() })).toEqual(before)
    })
  })
}
