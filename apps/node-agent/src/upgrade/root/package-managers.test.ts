import type { PackageFormat } from '@roost/api-types/agent'
import { systemClock } from '@roost/runtime'
import { describe, expect, it } from 'vitest'
import type { CommandResult, RunCommand } from '../../machine/run-command.js'
import { packageManager } from './package-managers.js'

type Answer = Partial<Pick<CommandResult, 'exitCode' | 'stdout' | 'stderr'>>

/** A package manager whose programs answer as the script says, in its order. */
function scripted(format: PackageFormat, ...script: readonly Answer[]) {
  const calls: string[] = []
  const run: RunCommand = async (file, args, { deadlineMs, env }) => {
    expect(env).toMatchObject({ LC_ALL: 'C' })
    expect(deadlineMs).toBeGreaterThan(0)
    calls.push([file, ...args].join(' '))
    const ended = Promise.resolve()
    return { outcome: 'exited', exitCode: 0, stdout: '', stderr: '', ended, ...script[calls.length - 1] }
  }
  return { manager: packageManager(format, { run, clock: systemClock }), calls }
}

describe('packages of rpm', () => {
  const file = '/var/lib/roost-agent/upgrade/roost-agent-2.0.0.x86_64.rpm'

  it.each([
    ['x86_64', 'amd64'],
    ['aarch64', 'arm64'],
    ['ppc64le', 'ppc64le'],
  ])('say their name, version and architecture: %s is %s', async (given, arch) => {
    const { manager, calls } = scripted('rpm', { stdout: `roost-agent\n2.0.0\n${given}\n` })
    expect(await manager.describe(file)).toEqual({ name: 'roost-agent', version: '2.0.0', arch })
    expect(calls).toEqual([`rpm -qp --nosignature --qf %{NAME}\n%{VERSION}\n%{ARCH}\n ${file}`])
  })

  it('are installed over a newer version, too, so that a node can return', async () => {
    const { manager, calls } = scripted('rpm')
    await manager.install(file)
    expect(calls).toEqual([`rpm -U --oldpackage --replacepkgs --nosignature ${file}`])
  })

  it('report the last line of what rpm said', async () => {
    const failure = { exitCode: 1, stderr: 'warning: x\nerror: Failed dependencies: systemd\n' }
    await expect(scripted('rpm', failure).manager.install(file)).rejects.toThrow(
      'rpm failed: error: Failed dependencies: systemd',
    )
    await expect(scripted('rpm', failure).manager.describe(file)).rejects.toThrow('rpm failed: error: Failed')
    await expect(scripted('rpm', { exitCode: 3 }).manager.install(file)).rejects.toThrow(/^rpm failed: \S+/)
  })
})

describe('packages of deb', () => {
  const file = '/var/lib/roost-agent/upgrade/roost-agent_2.0.0_amd64.deb'
  const trailer = 'Errors were encountered while processing:\n roost-agent\n'
  const scriptFailed = `dpkg: error processing package roost-agent (--install):
 installed roost-agent package post-installation script subprocess returned error exit status 1\n`

  it.each([
    [
      'what the script of the package printed',
      `roost-agent: the unit does not start\n${scriptFailed}${trailer}`,
      'roost-agent: the unit does not start',
    ],
    [
      'that the script failed, where it printed nothing',
      scriptFailed + trailer,
      'installed roost-agent package post-installation script subprocess returned error exit status 1',
    ],
    [
      'what dpkg said of the file',
      `dpkg: error processing archive ${file} (--install):\n cannot access archive\n${trailer}`,
      'cannot access archive',
    ],
    [
      'what dpkg said of the file, below its warning',
      `dpkg: warning: downgrading roost-agent from 2.0.0 to 1.9.0\ndpkg: error processing archive ${file} (--install):\n trying to overwrite '/usr/bin/x'\n${trailer}`,
      "trying to overwrite '/usr/bin/x'",
    ],
  ])('report %s', async (_case, stderr, reason) => {
    await expect(scripted('deb', { exitCode: 1, stderr }).manager.install(file)).rejects.toThrow(
      new Error(`dpkg failed: ${reason}`),
    )
  })
})

describe('packages of tar', () => {
  const file = '/var/lib/roost-agent/upgrade/roost-agent_2.0.0_amd64.tar.gz'
  const entries = (...more: readonly string[]) => ({
    stdout: ['./', './usr/', './usr/lib/roost-agent/2.0.0/package.json', ...more, ''].join('\n'),
  })

  it('say their name and version by the folder of their manifest, and no architecture', async () => {
    const { manager, calls } = scripted('tar', entries('./usr/lib/roost-agent/2.0.0/agent.mjs'))
    expect(await manager.describe(file)).toEqual({ name: 'roost-agent', version: '2.0.0', arch: null })
    expect(calls).toEqual([`tar -tzf ${file}`])
    expect(await scripted('tar', { stdout: './usr/share/x\n' }).manager.describe(file)).toEqual({
      name: '',
      version: '',
      arch: null,
    })
  })

  it.each(['./etc/passwd', 'root/.ssh/authorized_keys', './usr/../etc/passwd', '/usr/bin/x', './usrlocal/x'])(
    'are refused with %s, before anything is written',
    async (entry) => {
      const { manager, calls } = scripted('tar', entries(entry))
      await expect(manager.install(file)).rejects.toThrow(`${file} contains ${entry}, which is outside of usr.`)
      expect(calls).toEqual([`tar -tzf ${file}`])
    },
  )

  it('are written below the root, and then set up by their own program', async () => {
    const { manager, calls } = scripted('tar', entries())
    await manager.install(file)
    expect(calls).toEqual([
      `tar -tzf ${file}`,
      `tar -C / -xzf ${file} --no-same-owner`,
      '/usr/lib/roost-agent/2.0.0/setup installed',
    ])
  })

  it('are not set up where tar failed, and report a setup that failed', async () => {
    const full = scripted('tar', entries(), { exitCode: 2, stderr: 'tar: write error: No space left on device\n' })
    await expect(full.manager.install(file)).rejects.toThrow('tar failed: tar: write error: No space left on device')
    expect(full.calls).toHaveLength(2)
    const setup = scripted('tar', entries(), {}, { exitCode: 1, stderr: 'setup: systemd is missing\n' })
    await expect(setup.manager.install(file)).rejects.toThrow('setup failed: setup: systemd is missing')
  })
})
