import { copyFile, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildPackages, ownArch } from '../support/programs/packages.js'
import { runToEnd } from '../support/programs/processes.js'
import { startMachine } from '../support/swift/machine.js'
import type { Machine } from '../support/swift/machine.js'
import { bootContainer } from '../support/systemd/container.js'
import type { SystemdContainer } from '../support/systemd/container.js'
import { findSystemdRoot } from '../support/systemd/root.js'
import type { SystemdRoot } from '../support/systemd/root.js'

const waitOptions = { timeout: 120_000, interval: 500 }
const [former, version] = ['1.0.0', '1.1.0']
const rpmArch = ownArch === 'arm64' ? 'aarch64' : 'x86_64'
const otherArch = ownArch === 'arm64' ? 'amd64' : 'arm64'
const files = [
  ['/etc/hostname', 'roost-test\n'],
  ['/etc/hosts', '127.0.0.1 localhost roost-test\n'],
] as const
const masked = ['smbd', 'nmbd', 'samba-ad-dc', 'winbind', 'systemd-networkd'].map((name) => `${name}.service`)
/** rpm on Debian has no package in its database: this one stands for those of the system. */
const baseSystem = `Name: base-system
Version: 1
Release: 1
Summary: stands for the packages of the system
License: none
BuildArch: noarch
Provides: glibc = 2.36, libgcc, libstdc++, systemd, /bin/sh
%description
%files
`

interface Kind {
  /** Where it runs. */
  readonly root: SystemdRoot
  readonly arch: 'amd64' | 'arm64'
  readonly format: 'deb' | 'rpm' | 'tar'
  readonly fileOf: (name: string, of: string) => string
  /** Runs before the first package. */
  readonly begin: string
  readonly install: (file: string, name: string, of: string) => string
  readonly remove: (name: string, of: string) => string
  /** What an upgrade leaves of the former version. */
  readonly leaves: string
}

const isLong = process.env['ROOST_TEST_LONG'] === '1'
const rootOf = async (...options: Parameters<typeof findSystemdRoot>): Promise<SystemdRoot> =>
  isLong ? findSystemdRoot(...options) : { missing: 'with ROOST_TEST_LONG=1' }
const ofThisMachine = await rootOf(['rpm'])

const kinds: Readonly<Record<string, Kind>> = {
  'packages of rpm': {
    root: ofThisMachine,
    arch: ownArch,
    format: 'rpm',
    fileOf: (name, of) => `${name}-${of}-1.${rpmArch}.rpm`,
    // Debian's rpm has a database for each account, that of RHEL one for all.
    begin: `mkdir -p /etc/rpm /var/lib/rpm && echo '%_dbpath /var/lib/rpm' >/etc/rpm/macros
      rpm -i /srv/deployed/base-system-1-1.noarch.rpm`,
    install: (file) => `rpm -U ${file}`,
    remove: (name) => `rpm -e ${name}`,
    leaves: '',
  },
  'packages of tar': {
    root: ofThisMachine,
    arch: ownArch,
    format: 'tar',
    fileOf: (name, of) => `${name}-${of}-linux-${ownArch}.tar.gz`,
    begin: '',
    install: (file, name, of) => `tar -C / -xzf ${file} --no-same-owner && /usr/lib/${name}/${of}/setup installed`,
    remove: (name, of) => `/usr/lib/${name}/${of}/setup removing`,
    leaves: `${former}\n`,
  },
  [`packages of ${otherArch}`]: {
    root: await rootOf([], undefined, otherArch),
    arch: otherArch,
    format: 'deb',
    fileOf: (name, of) => `${name}_${of}_${otherArch}.deb`,
    begin: '',
    install: (file) => `dpkg -i ${file}`,
    remove: (name) => `dpkg -r ${name}`,
    leaves: '',
  },
}

async function buildBaseSystem(deployed: string): Promise<void> {
  const spec = join(deployed, 'base-system.spec')
  await writeFile(spec, baseSystem)
  const { code, stderr } = await runToEnd('rpmbuild', ['-bb', '--define', `_rpmdir ${deployed}`, spec])
  if (code !== 0) throw new Error(`rpmbuild failed: ${stderr}`)
  await copyFile(join(deployed, 'noarch/base-system-1-1.noarch.rpm'), join(deployed, 'base-system-1-1.noarch.rpm'))
}

for (const [title, kind] of Object.entries(kinds)) {
  const { root, arch, format, fileOf, begin, install, remove, leaves } = kind
  const skipped = 'missing' in root ? ` (not here: ${root.missing})` : ''
  describe.skipIf(skipped !== '')(`${title}, on the systemd of Debian${skipped}`, () => {
    let deployed: string
    let machine: Machine
    let server: SystemdContainer

    const installed = (name: string, of: string) => server.exec(install(`/srv/deployed/${fileOf(name, of)}`, name, of))
    // The process is that of an emulator where the architecture is another one.
    const active = (name: string) => server.exec(`systemctl is-active ${name}; readlink /usr/lib/${name}/current`)
    const nodes = async () => JSON.parse(await server.exec('roost node list -o json'))

    beforeAll(async () => {
      if ('missing' in root) return
      deployed = await mkdtemp(join(tmpdir(), 'roost-packages-'))
      if (format === 'rpm') await buildBaseSystem(deployed)
      for (const of of [former, version]) {
        const folder = await buildPackages({
          version: of,
          only: ['roost', 'roost-agent'],
          archs: [arch],
          formats: [format],
        })
        for (const name of await readdir(folder)) await copyFile(join(folder, name), join(deployed, name))
      }
      machine = await startMachine()
      server = await bootContainer(machine, { root: root.path, files, masked, deployed, isBare: true })
      await server.exec(begin)
    }, 1_200_000)
    afterAll(async () => {
      await machine?.remove()
      if (deployed !== undefined) await rm(deployed, { recursive: true })
    })

    it('starts a control plane, and an agent once it is enrolled', { timeout: 300_000 }, async () => {
      expect(await installed('roost', former)).toMatch(/^Roost is at https:\/\/roost-test:8443$/m)
      expect(await active('roost')).toBe(`active\n${former}\n`)
      await installed('roost-agent', former)
      expect(
        await server.exec('systemctl is-enabled roost roost-backup.timer roost-agent roost-agent-upgrade.path'),
      ).toBe('enabled\n'.repeat(4))
      const { lines } = JSON.parse(await server.exec('roost token create -o json')) as {
        readonly lines: readonly string[]
      }
      await server.exec(`${lines[0]} && systemctl start roost-agent`)
      await expect.poll(nodes, waitOptions).toMatchObject([{ state: 'online', agent_version: former }])
      expect(await server.exec('systemctl --failed --plain --no-legend')).toBe('')
    })

    it('upgrades the control plane with a backup of before', { timeout: 300_000 }, async () => {
      await server.exec('roost cluster add kept')
      expect(await installed('roost', version)).toContain(
        `upgraded from ${former} to ${version}. The backup of before is`,
      )
      expect(await active('roost')).toBe(`active\n${version}\n`)
      expect(await server.exec('ls /usr/lib/roost')).toBe(`${leaves}${version}\ncurrent\n`)
      expect(await server.exec('roost cluster list')).toMatch(/ kept /)
    })

    it('upgrades the agent by the control plane', { timeout: 300_000 }, async () => {
      await server.exec(
        `cd /srv/deployed && roost packages add ${fileOf('roost-agent', former)} ${fileOf('roost-agent', version)}`,
      )
      expect(await server.exec('roost node upgrade --cluster default --yes')).toContain(`to ${version} completed`)
      await expect.poll(nodes, waitOptions).toMatchObject([{ state: 'online', agent_version: version }])
      expect(await active('roost-agent')).toBe(`active\n${version}\n`)
    })

    it('runs after a reboot', { timeout: 300_000 }, async () => {
      await server.reboot()
      await expect.poll(nodes, waitOptions).toMatchObject([{ state: 'online', agent_version: version }])
    })

    it('is removed, and keeps the data and the identity', { timeout: 300_000 }, async () => {
      for (const name of ['roost-agent', 'roost']) await server.exec(remove(name, version))
      for (const account of ['roost', 'roost-agent'])
        expect((await server.run('pgrep', ['-u', account])).stdout).toBe('')
      expect((await server.run('systemctl', ['is-enabled', 'roost', 'roost-agent'])).code).not.toBe(0)
      await server.exec('ls /var/lib/roost/ca.pem /var/lib/roost-agent/identity.json')
    })
  })
}
