import { describe, expect, it } from 'vitest'
import { closedPorts } from './firewall.js'

const samba = { number: 445, service: 'samba', label: 'SMB' }
const nfs = { number: 2049, service: 'nfs', label: 'NFS' }

function closed(files: Readonly<Record<string, string>>, programs: readonly string[] = []) {
  const machine = { read: (path: string) => files[path], runs: (program: string) => programs.includes(program) }
  return closedPorts(machine, [samba, nfs]).map(({ number, firewall, remedy }) => [number, firewall, remedy])
}

describe('a machine without ufw and firewalld', () => {
  it('closes no port', () => {
    expect(closed({})).toEqual([])
    expect(closed({ '/etc/ufw/ufw.conf': 'ENABLED=no\n' })).toEqual([])
  })
})

describe('ufw', () => {
  const enabled = { '/etc/ufw/ufw.conf': '# see ufw(8)\nENABLED=yes\nLOGLEVEL=low\n' }

  it('closes what no rule opens', () => {
    expect(closed(enabled)).toEqual([
      [445, 'ufw', 'ufw allow 445/tcp'],
      [2049, 'ufw', 'ufw allow 2049/tcp'],
    ])
    expect(closed({ ...enabled, '/etc/default/ufw': 'DEFAULT_INPUT_POLICY="ACCEPT"\n' })).toEqual([])
  })

  it.each([
    ['-A ufw-user-input -p tcp --dport 445 -j ACCEPT', [2049]],
    ['-A ufw-user-input -p tcp -m multiport --dports 139,445 -j ACCEPT', [2049]],
    ['-A ufw-user-input -p tcp -m multiport --dports 2000:3000 -s 10.0.0.0/8 -j ACCEPT', [445]],
    ['-A ufw-user-input -s 10.0.0.0/8 -j ACCEPT', []],
    ['-A ufw-user-input -p udp --dport 445 -j ACCEPT', [445, 2049]],
    ['-A ufw-user-input -p tcp --dport 445 -j DROP', [445, 2049]],
  ])('reads %s', (rule, expected) => {
    expect(closed({ ...enabled, '/etc/ufw/user.rules': `${rule}\n` }).map(([number]) => number)).toEqual(expected)
  })
})

describe('firewalld', () => {
  const zone = (body: string) => `<?xml version="1.0"?>\n<zone>\n<service name="ssh"/>\n${body}</zone>\n`

  it('closes what its default zone does not open, by service or port', () => {
    const path = '/usr/lib/firewalld/zones/public.xml'
    expect(closed({ [path]: zone('') }, ['firewalld'])).toEqual([
      [445, 'firewalld', 'firewall-cmd --permanent --zone=public --add-port=445/tcp && firewall-cmd --reload'],
      [2049, 'firewalld', 'firewall-cmd --permanent --zone=public --add-port=2049/tcp && firewall-cmd --reload'],
    ])
    const body = '<service name="samba"/>\n<port port="2000-3000" protocol="tcp"/>\n'
    expect(closed({ [path]: zone(body) }, ['firewalld'])).toEqual([])
    expect(closed({ [path]: zone(body) })).toEqual([])
  })

  it('reads the zone of the operator before the one of the package', () => {
    const files = {
      '/etc/firewalld/firewalld.conf': 'DefaultZone=internal\n',
      '/usr/lib/firewalld/zones/internal.xml': zone(''),
      '/etc/firewalld/zones/internal.xml': zone('<port protocol="udp" port="445"/>\n<service name="nfs"/>\n'),
    }
    expect(closed(files, ['firewalld']).map(([number]) => number)).toEqual([445])
    const trusted = { '/usr/lib/firewalld/zones/public.xml': '<zone target="ACCEPT">\n</zone>\n' }
    expect(closed(trusted, ['firewalld'])).toEqual([])
  })
})
