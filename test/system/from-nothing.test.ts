import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { expectPromised } from '../support/clock/promised.js'
import { buildPackages, ownArch } from '../support/programs/packages.js'
import { startMachine } from '../support/swift/machine.js'
import type { Machine } from '../support/swift/machine.js'
import { bootContainer } from '../support/systemd/container.js'
import type { SystemdContainer } from '../support/systemd/container.js'
import { addNetwork } from '../support/systemd/network.js'
import { findSystemdRoot } from '../support/systemd/root.js'
import type { SystemdRoot } from '../support/systemd/root.js'

const version = '1.0.0'
const [most, mostMs] = [6, 180_000]
const nodes = ['node-1', 'node-2'] as const
const masked = ['nmbd', 'samba-ad-dc', 'winbind', 'systemd-networkd'].map((name) => `${name}.service`)
/** What an operator has before: a proxy of Swift that runs with its rings. Ubuntu's package leaves the configuration to the operator. */
const startProxy = `cd /etc/swift
  [ -e proxy-server.conf ] || cp /usr/share/doc/swift-proxy/proxy-server.conf-sample proxy-server.conf
  [ -e swift.conf ] || printf '[swift-hash]\nswift_hash_path_suffix = of-this-test\n' >swift.conf
  for ring in account container object; do
    swift-ring-builder $ring.builder create 4 1 1 >/dev/null
    swift-ring-builder $ring.builder add --region 1 --zone 1 --ip 10.77.0.9 --port 6200 --device d1 --weight 1 >/dev/null
    swift-ring-builder $ring.builder rebalance >/dev/null
  done
  chgrp swift *.ring.gz && chmod 640 *.ring.gz
  sed -i -E 's/^(# )?workers = .*/workers = 2/' proxy-server.conf
  systemctl restart rsyslog memcached swift-proxy smbd`

const packagesBefore = ['apt', 'swift', 'swift-proxy', 'memcached', 'rsyslog', 'logrotate', 'curl']
/** What docs/install.md names, by the release that mmdebstrap takes. */
const systems = { 'Debian 12': 'bookworm', 'Debian 13': 'trixie', 'Ubuntu 22.04': 'jammy', 'Ubuntu 24.04': 'noble' }

const isLong = process.env['ROOST_TEST_LONG'] === '1'
const roots: (readonly [name: string, root: SystemdRoot])[] = []
for (const [name, release] of Object.entries(systems))
  roots.push([name, isLong ? await findSystemdRoot(packagesBefore, release) : { missing: 'with ROOST_TEST_LONG=1' }])

for (const [system, found] of roots) {
  const skipped = 'missing' in found ? ` (not here: ${found.missing})` : ''
  describe.skipIf(skipped !== '')(`from nothing to nodes without internet, on ${system}${skipped}`, () => {
    let deployed: string
    let machine: Machine
    let server: SystemdContainer
    const containers = new Map<string, SystemdContainer>()
    const transcript: string[] = []
    let commands = 0
    let line = ''
    let spentMs = 0

    /** Runs a command as root types it, with its time. */
    const type = async (host: string, container: SystemdContainer, command: string) => {
      const began = performance.now()
      const { code, stdout, stderr } = await container.run('sh', [
        '-c',
        `cd /srv/deployed 2>/dev/null || cd /; ${command}`,
      ])
      const ms = performance.now() - began
      spentMs += ms
      commands += 1
      transcript.push(`root@${host}# ${command}\n${stdout}${stderr}[${(ms / 1000).toFixed(1)} s]\n`)
      expect({ command, code, output: code === 0 ? '' : stdout + stderr }).toEqual({ command, code: 0, output: '' })
      return stdout
    }
    const node = (name: string) => containers.get(name) as SystemdContainer

    beforeAll(async () => {
      if ('missing' in found) return
      deployed = await buildPackages({
        version,
        only: ['roost', 'roost-agent', 'roost-agent-packages'],
        archs: [ownArch],
        formats: ['deb'],
      })
      machine = await startMachine()
      const hosts = await addNetwork(machine, 'control', nodes)
      const common = (name: string) => ({
        root: found.path,
        files: [['/etc/hosts', hosts] as const, ['/etc/hostname', `${name}\n`] as const],
        masked,
        isBare: true,
        name,
      })
      server = await bootContainer(machine, { ...common('control'), deployed })
      for (const name of nodes) {
        const container = await bootContainer(machine, { ...common(name), network: name })
        await container.exec(startProxy)
        containers.set(name, container)
      }
    }, 900_000)
    afterAll(async () => {
      process.stdout.write(`${system}:\n${transcript.join('\n')}\n`)
      await machine?.remove()
    })

    it('a control plane and a prepared node take six commands and three minutes', { timeout: 900_000 }, async () => {
      await type(
        'control',
        server,
        `apt-get install -qy ./roost_${version}_*.deb ./roost-agent-packages_${version}_all.deb`,
      )
      line = (await type('control', server, 'roost token create --roles gateway,proxy --prepare --uses 2')).trim()
      expect(line.split('\n')).toHaveLength(1)
      expect(await type('node-1', node('node-1'), line)).toMatch(/^This node is online\./m)
      expect(await type('control', server, 'roost node list -o wide')).toMatch(/node-1 .*online/)
      expect(commands).toBeLessThanOrEqual(most)
      expectPromised(`a control plane and a prepared node on ${system}`, spentMs, mostMs)
    })

    it('a second node takes one line', { timeout: 400_000 }, async () => {
      expect(await type('node-2', node('node-2'), line)).toMatch(/^This node is online\./m)
      expect(await type('control', server, 'roost node list -o wide')).toMatch(/node-2 .*online/)
    })

    it.each(nodes)('%s is prepared, and its proxy and its servers of shares run', async (name) => {
      expect(await node(name).exec('roost-agent gateway prepare')).toMatch(/There is nothing to prepare\.\n$/)
      expect(await node(name).exec('roost-agent proxy prepare')).toMatch(/^This proxy is prepared\./)
      expect(await node(name).exec('systemctl is-active roost-agent swift-proxy')).toBe('active\nactive\n')
    })
  })
}
