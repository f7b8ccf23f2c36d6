import { createHash, createPublicKey, verify } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
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

describe.skipIf(isMissing)(`the packages of the agent${skipped}`, () => {
  let folder: string
  let scratch: string
  const unpack = async (file: string, name: string) => {
    const target = join(scratch, name)
    const path = join(folder, file)
    const script = file.endsWith('.rpm')
      ? 'rpm2archive - <"$1" | tar -xz'
      : file.endsWith('.deb')
        ? 'dpkg-deb -x "$1" .'
        : 'tar -xzf "$1"'
    await output('sh', '-ec', `mkdir "$2" && cd "$2" && ${script}`, 'sh', path, target)
    return target
  }

  beforeAll(async () => {
    folder = await buildPackages({
      version,
      only: ['roost-agent', 'roost-agent-packages'],
      archs,
      formats: ['deb', 'rpm', 'tar'],
    })
    scratch = await mkdtemp(join(tmpdir(), 'roost-packages-'))
  }, 600_000)
  afterAll(() => scratch && rm(scratch, { recursive: true }))

  it.each(archs)('for %s install the same files in all formats', async (arch) => {
    const trees = [
      await unpack(`roost-agent_${version}_${arch}.deb`, `deb-${arch}`),
      await unpack(`roost-agent-${version}-1.${rpmArchs[arch]}.rpm`, `rpm-${arch}`),
      await unpack(`roost-agent-${version}-linux-${arch}.tar.gz`, `tar-${arch}`),
    ]
    const [first, ...others] = trees.map(filesOf)
    expect(first).toContain(`usr/lib/roost-agent/${version}/node`)
    for (const other of others) expect(other).toEqual(first)
    for (const tree of trees) {
      const node = readFileSync(join(tree, 'usr/lib/roost-agent', version, 'node'))
      expect([node.readUInt32BE(0), node.readUInt16LE(18)]).toEqual([0x7f454c46, elfMachines[arch]])
      expect(statSync(join(tree, 'usr/lib/roost-agent', version, 'setup')).mode & 0o777).toBe(0o755)
    }
  })

  it.each(archs)('for %s have at most 45 MB, and 130 MB installed', async (arch) => {
    const files = readdirSync(folder).filter((name) => name.includes(arch) || name.includes(`1.${rpmArchs[arch]}.`))
    const packages = files.filter((name) => /\.(?:deb|rpm|tar\.gz)$/.test(name))
    expect(packages).toHaveLength(3)
    for (const name of packages) expect(statSync(join(folder, name)).size).toBeLessThan(45e6)
    const size = await output('dpkg-deb', '-f', join(folder, `roost-agent_${version}_${arch}.deb`), 'Installed-Size')
    expect(Number(size) * 1024).toBeLessThan(130e6)
  })

  it('have scriptlets for rpm that the shell of RHEL can read', async () => {
    const scripts = await output('rpm', '-qp', '--scripts', join(folder, `roost-agent-${version}-1.x86_64.rpm`))
    expect(scripts.match(/^\w+ scriptlet \(using \S+\)/gm)).toEqual([
      'preinstall scriptlet (using /bin/sh)',
      'preuninstall scriptlet (using /bin/sh)',
      'postuninstall scriptlet (using /bin/sh)',
      'posttrans scriptlet (using /bin/sh)',
    ])
    for (const [, script = ''] of scripts.matchAll(/^\w+ scriptlet \(using \S+\):\n((?:(?!^\w+ scriptlet).*\n?)*)/gm))
      await output('bash', '--posix', '-n', '-c', script)
  })

  it('list what they contain, with the licenses', async () => {
    const tree = join(scratch, 'deb-amd64')
    const bill = JSON.parse(readFileSync(join(tree, 'usr/lib/roost-agent', version, 'sbom.cdx.json'), 'utf8'))
    expect(bill).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.6' })
    const refs = bill.components.map((one: { 'bom-ref': string }) => one['bom-ref'])
    expect(refs).toEqual(expect.arrayContaining([expect.stringMatching(/^node@24\./), expect.stringMatching(/^zod@/)]))
    const copyright = readFileSync(join(tree, 'usr/share/doc/roost-agent/copyright'), 'utf8')
    for (const ref of refs) expect(copyright).toContain(`\n${ref}: `)
    expect(copyright).not.toContain('has no text of the license')
  })

  it.runIf(isLong)(
    'have the same bytes when they are built again, by another account',
    async () => {
      const again = join(scratch, 'again')
      const script = `umask 077; TZ=Asia/Tokyo ROOST_PACKAGE_VERSION=${version} SOURCE_DATE_EPOCH=1700000000 \\
      node scripts/package/main.js --only roost-agent --arch amd64 --out "$1"`
      const { code, stderr } = await runToEnd('sh', ['-ec', script, 'sh', again], { cwd: repository, timeout: 500_000 })
      expect([code, stderr]).toEqual([0, expect.any(String)])
      const names = readdirSync(again).filter((name) => /\.(?:deb|rpm|tar\.gz)$/.test(name))
      expect(names).toHaveLength(3)
      for (const name of names)
        expect([name, readFileSync(join(again, name)).equals(readFileSync(join(folder, name)))]).toEqual([name, true])
    },
    600_000,
  )

  it('are all in the package for clusters without internet, with digests and signatures', async () => {
    const tree = await unpack(`roost-agent-packages_${version}_all.deb`, 'collection')
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
    expect(readFileSync(join(offered, 'release.pub'), 'utf8')).toBe(readFileSync(join(folder, 'release.pub'), 'utf8'))
  })
})
