import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { repository } from '../support/http/control-plane.js'
import type { ControlPlaneProcess } from '../support/http/control-plane.js'
import { runToEnd } from '../support/programs/processes.js'
import { useRoostCli } from '../support/programs/roost-cli.js'

const server = await useRoostCli()
const { cli } = server
const content = Buffer.alloc(300_000, 'package')
const file = 'roost-agent_0.0.1_amd64.deb'
let roost: ControlPlaneProcess
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'roost-packages-'))
  await writeFile(join(folder, file), content)
  await writeFile(join(folder, `${file}.sig`), 'c2ln\n')
  await writeFile(join(folder, 'notes.txt'), 'notes')
  roost = server.roost
})
afterAll(() => rm(folder, { recursive: true }))

const hasCurl = (await runToEnd('curl', ['--version'])).code === 0
const withoutCurl = hasCurl ? '' : ' (not here: needs the package curl)'
const curl = (path: string, ...flags: readonly string[]) =>
  runToEnd('curl', ['-sS', '--cacert', join(roost.dataDir, 'ca.pem'), ...flags, `${roost.url}${path}`])
const statusOf = async (path: string, ...flags: readonly string[]) =>
  Number((await curl(path, '-o', '/dev/null', '-w', '%{http_code}', ...flags)).stdout)
const digest = createHash('sha256').update(content).digest('hex')

describe('roost packages', () => {
  it('adds a package of the agent with its signature, and lists it', async () => {
    const added = join(roost.dataDir, 'packages', file)
    expect(await cli('packages', 'add', join(folder, file))).toMatchObject({ code: 0, stdout: `added ${added}\n` })
    const listed = JSON.parse((await cli('packages', 'list', '-o', 'json')).stdout) as { readonly path: string }[]
    expect(listed.filter(({ path }) => path === added)).toEqual([
      {
        file,
        name: 'roost-agent',
        version: '0.0.1',
        arch: 'amd64',
        format: 'deb',
        path: added,
        bytes: content.length,
        sha256: digest,
        signature: 'c2ln',
      },
    ])
  })

  it.each([
    ['what is no package of the agent', 'notes.txt', 'notes.txt is not a package of the agent, such as'],
    ['a file that is not there', 'roost-agent_9.9.9_amd64.deb', 'it does not exist'],
  ])('does not add %s', async (_what, name, message) => {
    const { code, stderr } = await cli('packages', 'add', join(folder, name))
    expect([code, stderr]).toEqual([1, expect.stringContaining(message)])
  })

  it('removes what was added', async () => {
    const other = 'roost-agent_0.0.2_amd64.deb'
    await writeFile(join(folder, other), 'other')
    await cli('packages', 'add', join(folder, other))
    expect(await statusOf(`/packages/${other}`)).toBe(200)
    expect(await cli('packages', 'remove', other)).toMatchObject({ code: 0 })
    expect(await statusOf(`/packages/${other}`)).toBe(404)
    expect(await cli('packages', 'remove', other)).toMatchObject({ code: 1 })
    expect((await cli('packages', 'remove', '../secrets.key')).code).toBe(1)
    expect(existsSync(join(roost.dataDir, 'secrets.key'))).toBe(true)
  })
})

describe.skipIf(!hasCurl)(`without credentials${withoutCurl}`, () => {
  it('a package is served as it is', async () => {
    const path = join(folder, 'fetched')
    expect((await curl(`/packages/${file}`, '-o', path)).code).toBe(0)
    const { stdout } = await runToEnd('sha256sum', [path])
    expect(stdout).toContain(digest)
  })

  it.each(['nothing.deb', `${file}.sig`, '..%2fsecrets.key', '%2e%2e%2fadmin.apikey', 'secrets.key', ''])(
    'no other file is: /packages/%s',
    async (name) => expect(await statusOf(`/packages/${name}`, '--path-as-is')).toBe(404),
  )

  it('the script has the digest of the package, and no secret', async () => {
    const { stdout } = await curl('/install.sh')
    expect(stdout).toContain(`amd64 deb ${digest} ${content.length} ${file}`)
    expect(stdout).toContain(`\nserver='${roost.url.replace('127.0.0.1', 'localhost')}'\n`)
    expect(stdout).not.toContain(roost.key.split(':')[1])
  })

  it('an address that asks too often has to wait', async () => {
    const from = ['--interface', '127.0.0.77']
    const { stdout } = await curl('/packages/none-[1-125]', ...from, '-o', '/dev/null', '-w', '%{http_code}\n')
    const counted = stdout.match(/429/g)
    expect(counted).toHaveLength(5)
    expect((await curl('/install.sh', ...from, '-i')).stdout).toMatch(/^retry-after: \d+\r$/im)
    expect(await statusOf('/install.sh')).toBe(200)
  })
})

describe.skipIf(!hasCurl)(`the line of a new node${withoutCurl}`, () => {
  const line = async (...flags: readonly string[]) => (await cli('token', 'create', ...flags)).stdout.trim()
  const shell = (script: string) => runToEnd('sh', ['-c', script])

  it('is one line, which has the token in what sh reads alone', async () => {
    const printed = await line('--roles', 'gateway,proxy', '--prepare')
    expect(printed).toMatch(
      /^\{ curl -fsS --insecure --pinnedpubkey 'sha256\/\/[\w+/]{43}=' https:\/\/localhost:\d+\/install\.sh \|\| echo '[^']+'; echo 'enroll [\da-f]{40}'; \} \| sh -s -- --prepare gateway,proxy$/,
    )
  })

  it('prepares storage servers, whose role needs no approval', async () => {
    expect(await line('--roles', 'storage', '--prepare')).toMatch(/\| sh -s -- --prepare storage$/)
    expect(await line('--roles', 'storage,proxy', '--prepare')).toMatch(/\| sh -s -- --prepare proxy,storage$/)
    const { code, stderr } = await cli('token', 'create', '--roles', 'storage')
    expect([code, stderr]).toEqual([2, expect.stringContaining('Add --prepare to prepare its servers, or omit it.')])
    const wrong = await cli('token', 'create', '--roles', 'storage,disk', '--prepare')
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('Use gateway, proxy, storage')])
  })

  it('needs roles to prepare', async () => {
    const { code, stderr } = await cli('token', 'create', '--prepare')
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining('Choose the roles to prepare: gateway, proxy or storage.'),
    ])
  })

  it('runs the script, and ends with its exit code', async () => {
    const { code, stderr } = await shell(`${await line()} -s -- --frob`)
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^Roost: There is no flag '--frob'\. .+\n$/)])
  })

  it.each([
    ['another key', (text: string) => text.replace(/sha256\/\/[\w+/]{43}/, `sha256//${'A'.repeat(43)}`)],
    ['no answer', (text: string) => text.replaceAll(/localhost:\d+/g, 'localhost:1')],
  ])('changes nothing and says so: %s', async (_what, changed) => {
    const { code, stdout, stderr } = await shell(changed(await line()))
    expect([code, stdout, stderr.trim().split('\n').at(-1)]).toEqual([
      1,
      '',
      expect.stringMatching(/^Nothing was changed: https:\/\/localhost:\d+ did not answer, or not with the key of/),
    ])
  })
})

it('the script is clean for shellcheck', async ({ skip }) => {
  if ((await runToEnd('shellcheck', ['--version'])).code !== 0) skip('needs the package shellcheck')
  const script = join(repository, 'apps/control-plane/assets/install.sh')
  expect(await runToEnd('shellcheck', ['--shell=sh', script])).toMatchObject({ code: 0, stdout: '' })
})
