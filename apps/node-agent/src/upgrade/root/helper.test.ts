import { execFileSync } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import { existsSync } from 'node:fs'
import { appendFile, cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextStep } from 'node:timers/promises'
import type { AgentPackage } from '@roost/api-types/agent'
import { createLog } from '@roost/runtime'
import { TestClock } from '@roost/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCommand } from '../../machine/run-command.js'
import { type SignedPackages, signedPackages } from '../testing/signed-packages.js'
import { type UpgradePaths, upgradePaths, type UpgradeRequest, type UpgradeResult } from '../upgrade-files.js'
import { type HelperOptions, runHelper } from './helper.js'
import { packageManager } from './package-managers.js'

const hasDpkg = existsSync('/usr/bin/dpkg-deb')
const upgrade = 'job-1'

describe.skipIf(!hasDpkg)('the root helper of upgrades', () => {
  let dir: string
  let paths: UpgradePaths
  let packages: SignedPackages
  let clock: TestClock
  /** The versions that were installed, in their order. */
  let installed: string[]
  /** Versions whose agent gets a session. */
  let reporting: Set<string>

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'roost-upgrade-'))
    paths = upgradePaths(join(dir, 'agent'), join(dir, 'helper'))
    await mkdir(paths.folder, { recursive: true })
    packages = signedPackages(dir)
    clock = new TestClock()
    installed = []
    reporting = new Set(['1.0.0', '2.0.0'])
  })
  afterEach(() => rm(dir, { recursive: true }))

  /** What dpkg and the unit of the agent would do: the package is real, its installation is recorded. */
  const install = async (file: string) => {
    const version = execFileSync('dpkg-deb', ['-f', file, 'Version'], { encoding: 'utf8' }).trim()
    installed.push(version)
    if (reporting.has(version)) await writeFile(paths.report, JSON.stringify({ upgrade, version }))
  }

  /** Runs the helper, and lets time pass until it has ended. */
  const run = async (change: Partial<HelperOptions> = {}) => {
    const options = {
      paths,
      installation: { version: '1.0.0', format: 'deb', arch: 'amd64', releaseKey: packages.releaseKey },
      settings: { isAllowed: true, oldest: null },
      manager: { ...packageManager('deb', { run: runCommand, clock }), install },
      disk: dir,
      explainSilence: async () => 'Its unit is failed.',
      clock,
      log: createLog({ format: 'json', level: 'error', write: () => {} }),
      ...change,
    } as const satisfies HelperOptions
    const ended = new AbortController()
    const running = runHelper(options).finally(() => ended.abort())
    running.catch(() => {})
    while (!ended.signal.aborted) {
      await clock.pass(1_000)
      await nextStep()
    }
    await running
    return existsSync(paths.result) ? (JSON.parse(await readFile(paths.result, 'utf8')) as unknown) : undefined
  }

  const fileOf = async ({ name, sha256, signature }: AgentPackage) => {
    await cp(join(dir, name), join(paths.folder, name))
    return { name, sha256, signature }
  }

  /** Writes the request of an agent of version 1.0.0. */
  const request = async (next: AgentPackage, change: Partial<UpgradeRequest> = {}) => {
    const former = await fileOf(await packages.build({ version: '1.0.0' }))
    const text = { upgrade, version: next.version, package: await fileOf(next), former, ...change }
    await writeFile(paths.request, JSON.stringify(text))
  }

  it('installs a signed package, and keeps it and the former one', async () => {
    await request(await packages.build())
    expect(await run()).toEqual({ upgrade, version: '2.0.0', state: 'installed', message: '' })
    expect(installed).toEqual(['2.0.0'])
    expect((await readdir(paths.kept)).toSorted()).toEqual(['roost-agent-1.0.0.deb', 'roost-agent-2.0.0.deb'])
    expect(existsSync(paths.request) || existsSync(paths.underWay)).toBe(false)
  })

  it('returns to the former version when the new one does not report within two minutes', async () => {
    reporting.delete('2.0.0')
    await request(await packages.build())
    expect(await run()).toMatchObject({
      state: 'returned',
      message: 'Version 2.0.0 did not report within 120 seconds. Its unit is failed. Version 1.0.0 runs again.',
    })
    expect(installed).toEqual(['2.0.0', '1.0.0'])
    expect(await readdir(paths.kept)).toEqual(['roost-agent-1.0.0.deb'])
  })

  it('returns to the former version when the new one cannot be installed', async () => {
    const failing = async (file: string) => {
      await install(file)
      if (installed.length === 1) throw new Error('dpkg failed: no space')
    }
    await request(await packages.build())
    const manager = { ...packageManager('deb', { run: runCommand, clock }), install: failing }
    expect(await run({ manager })).toMatchObject({
      state: 'returned',
      message: 'Version 2.0.0 could not be installed: dpkg failed: no space. Version 1.0.0 runs again.',
    })
    expect(installed).toEqual(['2.0.0', '1.0.0'])
  })

  it('does not count a report of another upgrade or version', async () => {
    reporting.clear()
    await writeFile(paths.report, JSON.stringify({ upgrade: 'job-0', version: '2.0.0' }))
    await request(await packages.build())
    expect(await run()).toMatchObject({ state: 'returned' })
  })

  it.each([
    [
      'installing',
      ['1.0.0'],
      'returned',
      'The installation of version 2.0.0 was interrupted. Version 1.0.0 runs again.',
    ],
    ['watching', [], 'installed', ''],
    ['returning', ['1.0.0'], 'returned', 'It hung. Version 1.0.0 runs again.'],
  ] as const)('continues after a stop while %s', async (phase, versions, state, message) => {
    await mkdir(paths.kept, { recursive: true })
    const { name } = await packages.build({ version: '1.0.0' })
    await cp(join(dir, name), join(paths.kept, 'roost-agent-1.0.0.deb'))
    await writeFile(paths.report, JSON.stringify({ upgrade, version: '2.0.0' }))
    const reason = phase === 'returning' ? 'It hung.' : ''
    await writeFile(paths.underWay, JSON.stringify({ upgrade, version: '2.0.0', former: '1.0.0', phase, reason }))
    expect(await run()).toEqual({ upgrade, version: '2.0.0', state, message })
    expect(installed).toEqual(versions)
  })

  describe('refuses, and changes nothing,', () => {
    /** Returns the reason, once nothing was changed. */
    const refusal = async (change: Partial<HelperOptions> = {}) => {
      const { state, message } = (await run(change)) as UpgradeResult
      const isUnchanged = installed.length === 0 && !existsSync(paths.request) && !existsSync(paths.underWay)
      return state === 'refused' && isUnchanged ? message : `${state}: ${installed.join(', ')}`
    }

    it('a package that another key signed', async () => {
      await request(await packages.build({}, generateKeyPairSync('ed25519').privateKey))
      expect(await refusal()).toMatch(/is not signed by the release key/)
    })

    it('a package that was changed after it was signed', async () => {
      const next = await packages.build()
      await request(next)
      await appendFile(join(paths.folder, next.name), 'x')
      expect(await refusal()).toMatch(/has another SHA-256/)
    })

    it('a version older than the installed one, unless the node allows it', async () => {
      const old = await packages.build({ version: '0.9.0' })
      await request(old)
      expect(await refusal()).toMatch(/Version 0\.9\.0 is older than 1\.0\.0/)
      await request(old)
      reporting.add('0.9.0')
      expect(await run({ settings: { isAllowed: true, oldest: '0.9.0' } })).toMatchObject({ state: 'installed' })
    })

    it('an old version under the name of a new one', async () => {
      await request(await packages.build({ version: '0.9.0' }), { version: '2.0.0' })
      expect(await refusal()).toMatch(/The package is roost-agent 0\.9\.0 amd64, not roost-agent 2\.0\.0 amd64/)
    })

    it('another package of the release key', async () => {
      await request(await packages.build({ name: 'roost' }))
      expect(await refusal()).toMatch(/The package is roost 2\.0\.0 amd64/)
    })

    it('a package for another architecture', async () => {
      await request(await packages.build({ arch: 'arm64' }))
      expect(await refusal()).toMatch(/The package is roost-agent 2\.0\.0 arm64/)
    })

    it('everything where upgrades are off', async () => {
      await request(await packages.build())
      expect(await refusal({ settings: { isAllowed: false, oldest: null } })).toMatch(/refuses upgrades/)
    })

    it('a package for which the disk has no space', async () => {
      await request(await packages.build())
      // A filesystem without free blocks.
      expect(await refusal({ disk: '/proc' })).toMatch(/The disk of \/proc has 0 bytes free/)
    })

    it('an upgrade without a package to return to', async () => {
      await request(await packages.build(), { former: null })
      expect(await refusal()).toMatch(/The package of version 1\.0\.0 is not kept/)
    })

    it('a link in the place of the package', async () => {
      const next = await packages.build()
      await request(next)
      await rm(join(paths.folder, next.name))
      await symlink(join(dir, next.name), join(paths.folder, next.name))
      expect(await refusal()).toMatch(/Cannot read .*ELOOP/)
    })
  })

  it('reads no path outside of the folder of the agent', async () => {
    const next = await packages.build()
    await request(next, { package: { name: '../tree', sha256: next.sha256, signature: next.signature } })
    await expect(run()).rejects.toThrow(/another format/)
    expect(installed).toEqual([])
    expect(existsSync(paths.request)).toBe(false)
  })

  it('removes a request that is no file', async () => {
    execFileSync('mkfifo', [paths.request])
    await expect(run()).rejects.toThrow(/is not a file/)
    expect(installed).toEqual([])
    expect(existsSync(paths.request)).toBe(false)
  })
})
