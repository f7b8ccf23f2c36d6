import type { GatewayShare } from '@roost/api-types/rest'
import { describe, expect, it } from 'vitest'
import { waitForJob } from '../support/gateway/deployment-lab.js'
import type { GatewayLab } from '../support/gateway/lab.js'

/** Where the agent ends; the second time is that of CIFS, when NFS has its new generation already. Each takes a minute and more. */
const moments = [
  'agent.apply.afterRename=exit@2',
  'agent.apply.afterReload=exit',
  ...(process.env.ROOST_TEST_LONG === '1'
    ? ['agent.apply.afterStage=exit', 'agent.apply.afterValidate=exit', 'agent.apply.afterRename=exit']
    : []),
]

/** Prints the files of which the header tells another hash than that of what follows. */
const torn = `
for file in /etc/samba/roost.d/shares.conf /etc/ganesha/roost.d/exports.conf; do
  expected=$(sed -n '2s/.* //p' $file); is=$(sed 1,3d $file | sha256sum | cut -d' ' -f1)
  [ "$expected" = "$is" ] || echo $file
done`

export function describeKills(lab: GatewayLab): void {
  describe('an agent that is killed in a deployment', () => {
    const shares: GatewayShare[] = []
    const waitMs = 300_000
    const connected = () =>
      expect.poll(() => lab.gateway.output(), { timeout: waitMs }).toContain('connected to the control plane')

    it.each(moments)('at %s leaves complete files, and its next start serves the desired shares', async (moment) => {
      if (shares.length === 0)
        for (const protocol of ['nfs', 'cifs'])
          shares.push(await lab.addShare({ name: `kill-${protocol}`, objectstore_container: 'kills', protocol }))
      const access = moments.indexOf(moment) % 2 === 0 ? 'ro' : 'rw'
      await lab.gateway.stopAgent()
      lab.gateway.startAgent(moment)
      await connected()
      for (const { resource_uri } of shares) await lab.patch(resource_uri, { access_mode: access })
      const job = await lab.post('/api/v1/gateway_deployments/', { node: lab.node })
      await lab.gateway.agentEnded()
      expect(lab.gateway.output()).toContain(`failpoint ${moment.split('=', 1)[0]}: exit`)
      expect(await lab.gateway.exec(torn)).toBe('')
      lab.gateway.startAgent()
      const end = await waitForJob((path) => lab.api.get(path), job, waitMs)
      expect([end.state, end.message, await lab.gateway.exec(torn)]).toEqual(['COMPLETED_SUCCESS', '', ''])
      const name = `${moments.indexOf(moment)}.bin`
      await lab.makeFile(name, 1_000)
      const bySmb = await lab.smb('kill-cifs', `put ${name}`)
      const byNfs = await lab.nfsPut(name, 'kill-nfs', `n${name}`)
      const accepted = { smb: !bySmb.stdout.includes('NT_STATUS_'), nfs: !byNfs.stderr.includes('NFS3ERR_ROFS') }
      expect(accepted).toEqual({ smb: access === 'rw', nfs: access === 'rw' })
      const drift = async () => (await lab.get(`${lab.node}drift/`)).kinds[0].items
      // What it saw on the way, it looks for again a minute later.
      await expect.poll(drift, { timeout: waitMs }).toEqual([])
    })
  })
}
