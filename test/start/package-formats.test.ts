import { createHash, createPublicKey, verify } from 'node:crypto'
import { lstatSync, readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { repository } from '../support/http/control-plane.js'
import { buildPackages } from '../support/programs/packages.js'
import { runToEnd } from '../support/programs/processes.js'

const version = '1.0.0'
const isLong = process.env['ROOST_TEST_LONG'] === '1'
const rpmArchs = { amd64: 'x86_64', arm64: 'aarch64' } as const
/** To pack one takes a minute. */
const archs = isLong ? (['amd64', 'arm64'] as const) : (['amd64'] as const)
/** The ELF machine of each architecture, in bytes 18 and 19 of a program. */
const elfMachines = { amd64: 0x3e, arm64: 0xb7 } as const
const isMissing = (await runToEnd('rpmbuild', ['--version'])).code !== 0
const skipped = isMissing ? ' (not here: without rpm)' : ''

async function output(file: string, ...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runToEnd(file, args)
  if (code !== 0) throw new Error(`${file} failed: ${stderr}`)
  return stdout
}

/** Returns the relative paths of the files below a folder. */
function filesOf(folder: string): readonly string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => join(parentPath, name).slice(folder.length + 1))
    .toSorted()
}

/** Returns the files below a folder with what they are: a program or not, the target of a link, the digest of the bytes. */
function contentOf(folder: string): readonly string[] {
  return filesOf(folder).map((path) => {
    const found = lstatSync(join(folder, path))
    if (found.isSymbolicLink()) return `${path} -> ${readlinkSync(join(folder, path))}`
    const digest = createHash('sha256')
      .update(readFileSync(join(folder, path)))
      .digest('hex')
    return `${path} ${(found.mode & 0o100) !== 0} ${digest}`
  })
}

/** Packages of these products, which are built once for the calling block. */
function usePackages(only: readonly string[]) {
  const packages = { folder: '', scratch: '', unpack }
  async function unpack(file: string, name: string) {
    const target = join(packages.scratch, name)
    const path = join(packages.folder, file)
    const script = file.endsWith('.rpm')
      ? 'rpm2archive - <"$1" | tar -xz'
      : file.endsWith('.deb')
        ? 'dpkg-deb -x "$1" .'
        : 'tar -xzf "$1"'
    await output('sh', '-ec', `mkdir "$2" && cd "$2" && ${script}`, 'sh', path, target)
    return target
  }
  beforeAll(async () => {
    packages.folder = await buildPackages({ version, only, archs, formats: ['deb', 'rpm', 'tar'] })
    packages.scratch = await mkdtemp(join(tmpdir(), 'roost-packages-'))
  }, 600_000)
  afterAll(() => packages.scratch !== '' && rm(packages.scratch, { recursive: true }))
  return packages
}

type Packages = ReturnType<typeof usePackages>

/** What holds for each product. `included` are paths of its files. */
function describePackages(packages: Packages, name: string, included: readonly string[]): void {
  it.each(archs)('for %s install the same files in all formats', async (arch) => {
    const trees = [
      await packages.unpack(`${name}_${version}_${arch}.deb`, `deb-${arch}`),
      await packages.unpack(`${name}-${version}-1.${rpmArchs[arch]}.rpm`, `rpm-${arch}`),
      await packages.unpack(`${name}-${version}-linux-${arch}.tar.gz`, `tar-${arch}`),
    ]
    const [first = '', ...others] = trees
    expect(filesOf(first)).toEqual(expect.arrayContaining([`usr/lib/${name}/${version}/node`, ...included]))
    for (const other of others) expect(contentOf(other)).toEqual(contentOf(first))
    for (const tree of trees) {
      const node = readFileSync(join(tree, 'usr/lib', name, version, 'node'))
      expect([node.readUInt32BE(0), node.readUInt16LE(18)]).toEqual([0x7f454c46, elfMachines[arch]])
      const setup = join(tree, 'usr/lib', name, version, 'setup')
      expect(statSync(setup).mode & 0o777).toBe(0o755)
      await output('bash', '--posix', '-n', setup)
    }
  })

  it('have scriptlets for rpm that the shell of RHEL can read', async () => {
    const scripts = await output('rpm', '-qp', '--scripts', join(packages.folder, `${name}-${version}-1.x86_64.rpm`))
    expect(scripts.match(/^\w+ scriptlet \(using \S+\)/gm)).toEqual([
      'preinstall scriptlet (using /bin/sh)',
      'preuninstall scriptlet (using /bin/sh)',
      'postuninstall scriptlet (using /bin/sh)',
      'posttrans scriptlet (using /bin/sh)',
    ])
    for (const call of ['installed', 'removing'])
      expect(scripts).toContain(`/usr/lib/${name}/${version}/setup ${call}\n`)
    for (const [, script = ''] of scripts.matchAll(/^\w+ scriptlet \(using \S+\):\n((?:(?!^\w+ scriptlet).*\n?)*)/gm))
      await output('bash', '--posix', '-n', '-c', script)
  })

  it('list what they contain, with the licenses', async () => {
    const tree = join(packages.scratch, 'deb-amd64')
    const bill = JSON.parse(readFileSync(join(tree, 'usr/lib', name, version, 'sbom.cdx.json'), 'utf8'))
    expect(bill).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.6' })
    const refs = bill.components.map((one: { 'bom-ref': string }) => one['bom-ref'])
    expect(refs).toEqual(expect.arrayContaining([expect.stringMatching(/^node@24\./), expect.stringMatching(/^zod@/)]))
    const copyright = readFileSync(join(tree, `usr/share/doc/${name}/copyright`), 'utf8')
    for (const ref of refs) expect(copyright).toContain(`\n${ref}: `)
    expect(copyright.includes('has no text of the license')).toBe(false)
  })
}

describe.skipIf(isMissing || !isLong)(`the packages of the control plane${skipped}`, () => {
  const units = ['roost.service', 'roost-backup.service', 'roost-backup.timer']
  describePackages(usePackages(['roost']), 'roost', [
    ...units.map((unit) => `usr/lib/systemd/system/${unit}`),
    'usr/lib/sysusers.d/roost.conf',
    'usr/lib/tmpfiles.d/roost.conf',
  ])
})

describe.skipIf(isMissing)(`the packages of the agent${skipped}`, () => {
  const packages = usePackages(['roost-agent', 'roost-agent-packages'])
  describePackages(packages, 'roost-agent', [
    'usr/lib/systemd/system/roost-agent.service',
    'usr/lib/systemd/system/roost-agent-upgrade.path',
    'usr/lib/sysusers.d/roost-agent.conf',
  ])

  it.each(archs)('for %s have at most 45 MB, and 130 MB installed', async (arch) => {
    const files = readdirSync(packages.folder).filter(
      (name) => name.includes(arch) || name.includes(`1.${rpmArchs[arch]}.`),
    )
    const built = files.filter((name) => /\.(?:deb|rpm|tar\.gz)$/.test(name))
    expect(built).toHaveLength(3)
    for (const name of built) expect(statSync(join(packages.folder, name)).size).toBeLessThan(45e6)
    const size = await output(
      'dpkg-deb',
      '-f',
      join(packages.folder, `roost-agent_${version}_${arch}.deb`),
      'Installed-Size',
    )
    expect(Number(size) * 1024).toBeLessThan(130e6)
  })

  it.runIf(isLong)(
    'have the same bytes when they are built again, by another account',
    async () => {
      const again = join(packages.scratch, 'again')
      const script = `umask 077; TZ=Asia/Tokyo ROOST_PACKAGE_VERSION=${version} SOURCE_DATE_EPOCH=1700000000 \\
      node scripts/package/main.js --only roost-agent --arch amd64 --out "$1"`
      const { code, stderr } = await runToEnd('sh', ['-ec', script, 'sh', again], { cwd: repository, timeout: 500_000 })
      expect([code, stderr]).toEqual([0, expect.any(String)])
      const names = readdirSync(again).filter((name) => /\.(?:deb|rpm|tar\.gz)$/.test(name))
      expect(names).toHaveLength(3)
      for (const name of names)
        expect([name, readFileSync(join(again, name)).equals(readFileSync(join(packages.folder, name)))]).toEqual([
          name,
          true,
        ])
    },
    600_000,
  )

  it('are all in the package for clusters without internet, with digests and signatures', async () => {
    const tree = await packages.unpack(`roost-agent-packages_${version}_all.deb`, 'collection')
    const offered = join(tree, 'usr/share/roost/packages')
    const names = readdirSync(offered).filter((name) => /\.(?:deb|rpm|tar\.gz)$/.test(name))
    expect(names).toHaveLength(3 * archs.length)
    const sums = readFileSync(join(offered, 'SHA256SUMS'), 'utf8')
    const key = createPublicKey(readFileSync(join(offered, 'release.pub')))
    for (const name of names) {
      const bytes = readFileSync(join(offered, name))
      expect(sums).toContain(`${createHash('sha256').update(bytes).digest('hex')}  ${name}\n`)
      const signature = Buffer.from(readFileSync(join(offered, `${name}.sig`), 'utf8'), 'base64')
      expect(verify(null, bytes, key, signature)).toBe(true)
    }
    expect(readFileSync(join(offered, 'release.pub'), 'utf8')).toBe(
      readFileSync(join(packages.folder, 'release.pub'), 'utf8'),
    )
  })
})
