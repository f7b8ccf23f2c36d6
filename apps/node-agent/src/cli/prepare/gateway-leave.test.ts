import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { cifsShare } from '@roost/testing/shares'
import type { ScriptedGateway } from '../../shares/testing/scripted-servers.js'
import { useScriptedGateway } from '../../shares/testing/use-scripted-gateway.js'

const program = fileURLToPath(new URL('../../../bin/roost-agent.js', import.meta.url))

let gateway: ScriptedGateway
const { apply } = useScriptedGateway((next) => (gateway = next))

function leave(...flags: readonly string[]) {
  const where = ['--root', gateway.root, '--data-dir', `${gateway.root}/agent`]
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...where, 'gateway', 'leave', ...flags], {
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

describe('roost-agent gateway leave', () => {
  it('refuses while shares are served, names them and says what to do', async () => {
    await apply(1, cifsShare(2))
    const before = gateway.read('/etc/samba/smb.conf')
    const { status, stderr } = leave('--yes')
    expect([status, stderr]).toEqual([1, expect.stringContaining('smbd (/srv/roost/2)')])
    expect(stderr).toContain('--end-shares')
    expect(gateway.read('/etc/samba/smb.conf')).toBe(before)
  })

  it('says what it would do, and does nothing without --yes', async () => {
    await apply(1, cifsShare(2))
    const { status, stdout } = leave('--end-shares')
    expect(status).toBe(0)
    expect(stdout.split('\n')).toEqual([
      'Ends the shares of smbd (/srv/roost/2).',
      'Removes what `gateway prepare` added to /etc/samba/smb.conf, and leaves the rest unchanged.',
      '--- a/etc/samba/smb.conf',
      '+++ b/etc/samba/smb.conf',
      '@@ -1,4 +1,4 @@',
      ' [global]',
      '     workgroup = LAB',
      ' [global]',
      '-    include = /etc/samba/roost.d/shares.conf',
      '+',
      'Removes /etc/samba/roost.d/shares.conf.',
      'No changes were made. Run this command again with --yes to apply them.',
      '',
    ])
    expect(gateway.read('/etc/samba/roost.d/shares.conf')).toContain('[share2]')
  })

  it('has nothing to do where nothing of ours is read', () => {
    gateway.write('/etc/samba/smb.conf', '[global]\n')
    expect(leave('--yes')).toMatchObject({
      status: 0,
      stdout: 'The share servers of this machine do not read any files of Roost. There is nothing to undo.\n',
    })
  })
})
