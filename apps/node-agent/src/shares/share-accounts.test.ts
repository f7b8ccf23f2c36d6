import { describe, expect, it } from 'vitest'
import { cifsShare } from '@roost/testing/shares'
import type { ScriptedGateway } from './testing/scripted-servers.js'
import { useScriptedGateway } from './testing/use-scripted-gateway.js'
import { sambaFile } from './testing/own-files.js'

let gateway: ScriptedGateway
const { apply, count, state } = useScriptedGateway((next) => (gateway = next))

describe('the account of a share with a password', () => {
  const locked = (password: string | null) => cifsShare(2, { password, cifs_guest_ok: false })

  it('is made, gets its password by the standard input, and is named among the valid users', async () => {
    gateway.fail('getent passwd share-2', '')
    const plan = await gateway.applier.plan(state(locked('S3CR3T-canary')))
    expect(plan.notes).toContain('The password of the Samba account share-2 will be set.')
    await apply(1, locked('S3CR3T-canary'))
    expect(gateway.commands).toContain(
      'useradd --system --no-create-home --no-user-group --shell /usr/sbin/nologin share-2',
    )
    expect(gateway.commands).toContain('smbpasswd -s -a share-2 <28')
    expect(gateway.read(sambaFile)).toContain('valid users = share-2\n')
    expect(JSON.stringify([plan, gateway.commands, gateway.read('/state/in-force.json')])).not.toContain('S3CR3T')
  })

  it('is left alone while the password stays, changed with it, and removed with it', async () => {
    await apply(1, locked('one-password'))
    await apply(2, locked('one-password'))
    expect(count('smbpasswd')).toBe(1)
    await apply(3, locked('another-password'))
    expect(count('smbpasswd')).toBe(2)
    await apply(4, locked(null))
    expect(gateway.commands).toContain('pdbedit -x -u share-2')
    expect(gateway.commands).toContain('userdel share-2')
  })
})
