import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AgentPackage } from '@roost/api-types/agent'
import { createLog } from '@roost/runtime'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type SignedPackages, signedPackages } from './testing/signed-packages.js'
import { upgradePaths } from './upgrade-files.js'
import { createUpgrades, type UpgradesOptions } from './upgrades.js'

const hasDpkg = existsSync('/usr/bin/dpkg-deb')

describe.skipIf(!hasDpkg)("the agent's part of an upgrade", () => {
  let dir: string
  let server: Server
  let packages: SignedPackages
  let requested: string[]

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'roost-upgrade-'))
    packages = signedPackages(dir)
    requested = []
    server = createServer((request, response) => {
      requested.push(request.url ?? '')
      readFile(join(dir, request.url?.replace('/packages/', '') ?? '')).then(
        (bytes) => response.end(bytes),
        () => response.writeHead(404).end(),
      )
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  })
  afterEach(async () => {
    server.close()
    await rm(dir, { recursive: true })
  })

  const paths = () => upgradePaths(join(dir, 'agent'), join(dir, 'helper'))
  const open = (change: Partial<UpgradesOptions> = {}) =>
    createUpgrades({
      installation: { version: '1.0.0', format: 'deb', arch: 'amd64', releaseKey: packages.releaseKey },
      settings: { isAllowed: true, oldest: null },
      paths: paths(),
      server: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      readAuthorities: async () => [],
      clock: { now: Date.now },
      log: createLog({ format: 'json', level: 'error', write: () => {} }),
      ...change,
    })
  const wanted = (offered: readonly AgentPackage[], upgrade = 'job-1') => ({
    upgrade,
    version: '2.0.0',
    packages: [...offered],
  })
  const both = async () => [await packages.build({ version: '1.0.0' }), await packages.build()]
  const written = async () => JSON.parse(await readFile(paths().request, 'utf8')) as unknown
  /** The progress once nothing is downloaded any more. */
  const settled = async (upgrades: ReturnType<typeof open>, given: ReturnType<typeof wanted>) => {
    await upgrades.advance(given, false)
    await expect.poll(async () => (await upgrades.advance(given, false)).state).not.toBe('downloading')
    return upgrades.advance(given, false)
  }

  it('downloads the new and the former package, and asks the root helper', async () => {
    const offered = await both()
    const upgrades = open()
    expect(upgrades.capabilities).toEqual(['upgrade'])
    expect(await upgrades.advance(wanted(offered), false)).toEqual({ state: 'downloading', message: '' })
    expect(await settled(upgrades, wanted(offered))).toEqual({ state: 'installing', message: '' })
    const [former, next] = offered.map(({ name, sha256, signature }) => ({ name, sha256, signature }))
    expect(await written()).toEqual({ upgrade: 'job-1', version: '2.0.0', package: next, former })
    expect(requested).toEqual(['/packages/roost-agent_2.0.0_amd64.deb', '/packages/roost-agent_1.0.0_amd64.deb'])
  })

  it('downloads no former package that the helper has kept', async () => {
    await mkdir(paths().kept, { recursive: true })
    await writeFile(join(paths().kept, 'roost-agent-1.0.0.deb'), '')
    expect(await settled(open(), wanted([await packages.build()]))).toEqual({ state: 'installing', message: '' })
    expect(await written()).toMatchObject({ former: null })
  })

  it('answers with the result of the helper, and reports to a helper that waits', async () => {
    await mkdir(paths().helper, { recursive: true })
    const underWay = { upgrade: 'job-1', version: '2.0.0', former: '1.0.0', phase: 'watching', reason: '' }
    await writeFile(paths().underWay, JSON.stringify(underWay))
    const upgrades = open()
    expect(await upgrades.advance(wanted([]), false)).toEqual({ state: 'installing', message: '' })
    expect(await upgrades.advance(wanted([], 'job-2'), false)).toMatchObject({ state: 'waiting' })
    await upgrades.connected()
    expect(JSON.parse(await readFile(paths().report, 'utf8'))).toEqual({ upgrade: 'job-1', version: '1.0.0' })
    await rm(paths().underWay)
    const result = { upgrade: 'job-1', version: '2.0.0', state: 'returned', message: 'It did not report.' }
    await writeFile(paths().result, JSON.stringify(result))
    expect(await upgrades.advance(wanted([]), false)).toEqual({ state: 'returned', message: 'It did not report.' })
  })

  it('waits for the deployment that is under way', async () => {
    expect(await open().advance(wanted(await both()), true)).toMatchObject({ state: 'waiting' })
    expect(requested).toEqual([])
  })

  it('has nothing to do for the version that runs', async () => {
    expect(await open().advance({ ...wanted([]), version: '1.0.0' }, false)).toMatchObject({ state: 'installed' })
  })

  it('gives up when the root helper does not start', async () => {
    const offered = await both()
    const upgrades = open({ clock: { now: () => Date.now() + 61_000 } })
    expect(await settled(upgrades, wanted(offered))).toMatchObject({
      state: 'refused',
      message: expect.stringContaining('systemctl enable --now roost-agent-upgrade.path'),
    })
    expect(existsSync(paths().request)).toBe(false)
  })

  describe('refuses', () => {
    /** Returns the reason, once the root helper was not asked. */
    const refusal = async (given: ReturnType<typeof wanted>, change: Partial<UpgradesOptions> = {}) => {
      const { state, message } = await settled(open(change), given)
      return state === 'refused' && !existsSync(paths().request) ? message : `${state}: ${message}`
    }

    it('where the configuration says so, and the hello says it', async () => {
      const settings = { isAllowed: false, oldest: null }
      expect(open({ settings }).capabilities).toEqual([])
      expect(await refusal(wanted(await both()), { settings })).toMatch(/"upgrades": "off"/)
    })

    it('where it was not installed from a package', async () => {
      expect(open({ installation: undefined }).capabilities).toEqual([])
      expect(await refusal(wanted(await both()), { installation: undefined })).toMatch(/not installed from a package/)
    })

    it('a version older than the oldest that the node allows', async () => {
      expect(await refusal({ ...wanted([]), version: '0.9.0' })).toMatch(/older than 1\.0\.0/)
      const settings = { isAllowed: true, oldest: '3.0.0' }
      expect(await refusal(wanted(await both()), { settings })).toMatch(/older than 3\.0\.0/)
    })

    it('a package of another key, of another digest, of another size, and one that is missing', async () => {
      const [former, next] = (await both()) as [AgentPackage, AgentPackage]
      const other = await signedPackages(dir).build()
      expect(await refusal(wanted([former, other]))).toMatch(/is not signed by the release key/)
      await packages.build()
      expect(await refusal(wanted([former, { ...next, sha256: 'a'.repeat(64) }]))).toMatch(/another SHA-256/)
      expect(await refusal(wanted([former, { ...next, size_bytes: 10 }]))).toMatch(/larger than announced/)
      expect(await refusal(wanted([former, { ...next, name: 'missing.deb' }]))).toMatch(/answered with status 404/)
    })

    it('an upgrade without a package for this machine, or without one to return to', async () => {
      const [former, next] = (await both()) as [AgentPackage, AgentPackage]
      expect(await refusal(wanted([former]))).toMatch(/offers no package roost-agent 2\.0\.0 \(deb, amd64\)/)
      expect(await refusal(wanted([next]))).toMatch(
        /Neither this node nor the control plane has the package roost-agent 1\.0\.0/,
      )
    })
  })
})
