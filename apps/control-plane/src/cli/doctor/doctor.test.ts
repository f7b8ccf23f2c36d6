import { describe, expect, it } from 'vitest'
import { firewall, thisMachine } from './firewall.js'
import { judgeCertificate } from './server-checks.js'

const dayMs = 86_400_000
const now = Date.parse('2026-11-26T12:00:00Z')

describe('the certificate of a control plane', () => {
  const days = 21

  it.each(['files', 'auto'] as const)('with %s warns 21 days before its end, and not earlier', (mode) => {
    expect(judgeCertificate(mode, now + days * dayMs, now)).toEqual(['ok', `is trusted and valid for ${days} days`])
    expect(judgeCertificate(mode, now + days * dayMs - 1, now)).toEqual([
      'warn',
      expect.stringMatching(new RegExp(`^expires in ${days - 1} days\\. \\S`)),
    ])
  })

  it('of another authority names the hook of its renewal, and there may be none', () => {
    expect(judgeCertificate('files', now, now)[1]).toContain('does not call `roost local set-certificate`')
    expect(judgeCertificate('auto', now, now)[1]).toContain('restart Roost')
    expect(judgeCertificate('off', null, now)).toEqual(['ok', 'none: TLS is off'])
  })
})

describe('the firewall of the machine of a control plane', () => {
  const listen = { host: '0.0.0.0', port: 8443 }
  const machine = (files: Readonly<Record<string, string>>, programs: readonly string[] = []) => ({
    read: (path: string) => files[path],
    runs: (program: string) => programs.includes(program),
  })
  const ufw = { '/etc/ufw/ufw.conf': 'ENABLED=yes\n' }

  it('is named with the command that opens the port, where it closes it', async () => {
    expect(await firewall({ listen }, machine(ufw)).run()).toEqual([
      'warn',
      'ufw closes port 8443 to nodes and people: run `ufw allow 8443/tcp`.',
    ])
    const zone = { '/usr/lib/firewalld/zones/public.xml': '<zone><service name="ssh"/></zone>' }
    expect(await firewall({ listen: { ...listen, port: 443 } }, machine(zone, ['firewalld'])).run()).toEqual([
      'warn',
      'firewalld closes port 443 to nodes and people: run `firewall-cmd --permanent --zone=public --add-port=443/tcp && firewall-cmd --reload`.',
    ])
  })

  it('is no finding where the port is open, or only this machine is served', async () => {
    const open = { ...ufw, '/etc/ufw/user.rules': '-A ufw-user-input -p tcp --dport 8443 -j ACCEPT\n' }
    expect((await firewall({ listen }, machine(open)).run())[0]).toBe('ok')
    expect((await firewall({ listen }, machine({})).run())[0]).toBe('ok')
    expect((await firewall({ listen: { host: '127.0.0.1', port: 8443 } }, machine(ufw)).run())[0]).toBe('ok')
  })

  it('is read from the files and processes of this machine', () => {
    expect(thisMachine.read('/etc/no-such-firewall')).toBeUndefined()
    expect(thisMachine.read('/proc/self/comm')).toMatch(/\S/)
    expect(thisMachine.runs('no-such-program')).toBe(false)
    expect(thisMachine.runs((thisMachine.read('/proc/self/comm') ?? '').trim())).toBe(true)
  })
})
