import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openMachine } from '../../machine/machine.js'
import { checkConfinement } from './check-confinement.js'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'roost-confinement-'))
  write('/usr/sbin/smbd')
  write('/usr/bin/ganesha.nfsd')
})
afterEach(() => rmSync(root, { recursive: true }))

function write(path: string, text = ''): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}
const found = () => {
  const machine = openMachine(root)
  return checkConfinement({ machine, kernel: machine, mountDirectory: '/srv/roost/shares' })
}

describe('the protection of a gateway', () => {
  it('is not reported where there is none', () => {
    expect(found()).toEqual([])
    write('/sys/fs/selinux/enforce', '0')
    expect(found()).toEqual([])
  })

  it('fails where SELinux denies mounts of FUSE to the servers that are installed', () => {
    write('/sys/fs/selinux/enforce', '1')
    write('/sys/fs/selinux/booleans/samba_share_fusefs', '0 0')
    write('/sys/fs/selinux/booleans/ganesha_use_fusefs', '0 0')
    const both = 'setsebool -P samba_share_fusefs=1 ganesha_use_fusefs=1'
    expect(found()).toMatchObject([{ check: 'SELinux', verdict: 'fail', message: expect.stringContaining(both) }])
    write('/sys/fs/selinux/booleans/samba_share_fusefs', '1 1')
    rmSync(join(root, '/usr/bin/ganesha.nfsd'))
    expect(found()).toMatchObject([{ check: 'SELinux', verdict: 'ok' }])
  })

  it('warns where AppArmor enforces a profile of smbd, until that allows the mounts', () => {
    const profiles = '/sys/kernel/security/apparmor/profiles'
    write(profiles, '/usr/sbin/ntpd (enforce)\nsmbd (complain)\n')
    expect(found()).toMatchObject([{ check: 'AppArmor', verdict: 'ok' }])
    write(profiles, '/usr/sbin/smbd (enforce)\nfusermount3 (enforce)\n')
    const message = expect.stringContaining('smbd and fusermount3: allow /srv/roost/shares/** in')
    expect(found()).toMatchObject([{ check: 'AppArmor', verdict: 'warn', message }])
    write('/etc/apparmor.d/local/usr.sbin.smbd', '/srv/roost/shares/** rwk,\n')
    write('/etc/apparmor.d/local/fusermount3', 'mount fstype=fuse.* -> /srv/roost/shares/**,\n')
    expect(found()).toMatchObject([{ check: 'AppArmor', verdict: 'ok' }])
  })

  it('warns for each port that a firewall closes to clients', () => {
    write('/etc/ufw/ufw.conf', 'ENABLED=yes\n')
    write('/etc/ufw/user.rules', '-A ufw-user-input -p tcp --dport 2049 -j ACCEPT\n')
    const message = 'ufw closes port 445 to clients of SMB: run `ufw allow 445/tcp`.'
    expect(found()).toEqual([{ check: 'firewall', verdict: 'warn', message }])
  })
})
