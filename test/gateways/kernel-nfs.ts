import { describe, expect, it } from 'vitest'
import { addresses } from '../support/gateway/gateway.js'
import type { GatewayLab } from '../support/gateway/lab.js'

const [near] = addresses

/** Tests only the exports: the kernel of the test machines has no NFS server, so that no client can mount them. */
export function describeKernelNfs(lab: GatewayLab): void {
  describe('the kernel’s NFS server', () => {
    const shown = async () => {
      const lines = (await lab.gateway.exec('showmount --no-headers -e 127.0.0.1')).trimEnd().split('\n')
      return lines.map((line) => line.replace(/ +/, ' ')).toSorted()
    }
    const etab = () => lab.gateway.exec('cat /var/lib/nfs/etab')

    it('takes over from nfs-ganesha, by the real exportfs and rpc.mountd', async () => {
      const shares = (await lab.get('/api/v1/gateway_shares/?protocol=nfs&enabled=true&limit=0')).objects
      await lab.gateway.stopAgent()
      await lab.gateway.serveNfsBy('kernel')
      lab.gateway.startAgent()
      await expect.poll(() => lab.gateway.output(), { timeout: 180_000 }).toContain('connected to the control plane')
      await lab.deployed()
      const folders = shares.map(({ id }: { id: number }) => `/srv/roost/shares/${id} *`)
      expect(await shown()).toEqual(folders.toSorted())
      expect(await lab.gateway.exec('cat /etc/ganesha/roost.d/exports.conf')).not.toContain('EXPORT')
    })

    it('exports a share with its settings to its clients, until it is disabled', async () => {
      const settings = { objectstore_container: 'by-kernel', clients_allowed_list: `${near}, .lab.example` }
      const share = await lab.addShare({ name: 'by-kernel', ...settings, access_mode: 'ro', root_squash: true })
      await lab.deployed()
      const path = `/srv/roost/shares/${share.id}`
      const line = (await etab()).split('\n').filter((text) => text.startsWith(`${path}\t`))
      expect(line).toHaveLength(2)
      for (const text of line) expect(text).toMatch(/\(ro,.*,insecure,root_squash,.*,fsid=\d+,/)
      expect(await shown()).toContain(`${path} *.lab.example,${near}`)
      await lab.patch(share.resource_uri, { enabled: false })
      await lab.deployed()
      expect(await etab()).not.toContain(path)
    })
  })
}
