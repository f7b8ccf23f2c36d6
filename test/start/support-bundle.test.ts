import { randomBytes } from 'node:crypto'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@roost/api-types'
import type { DatabaseDescription } from '@roost/control-plane/dist/database/describe-database.js'
import type { BundleContents } from '@roost/runtime'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { agentEnv, agentProgram } from '../support/agents/agent-program.js'
import { addNode } from '../support/agents/fleet-rows.js'
import { enrolledState } from '../support/agents/test-agent.js'
import { createTestDatabase } from '../support/database/database.js'
import { controlPlaneEnv, roostProgram, startControlPlane } from '../support/http/control-plane.js'
import type { ControlPlaneProcess } from '../support/http/control-plane.js'
import { runToEnd } from '../support/programs/processes.js'

const canary = 'S3CR3T-canary-of-a-record'
const databasePassword = 'dbpass/with+signs'
const database = await createTestDatabase()
const databaseUrl = database.url.replace('@', `:${encodeURIComponent(databasePassword)}@`)
let roost: ControlPlaneProcess
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'roost-bundle-'))
  roost = await startControlPlane({ env: { DATABASE_URL: databaseUrl } })
})
afterAll(async () => {
  await roost?.stop()
  await database.drop()
  await rm(folder, { recursive: true })
})

/** A journalctl that prints this text. */
async function journalOf(name: string, lines: readonly string[]): Promise<string> {
  const bin = join(folder, name)
  await mkdir(bin)
  await writeFile(join(bin, 'lines'), lines.join('\n'))
  await writeFile(join(bin, 'journalctl'), `#!/bin/sh\nexec cat ${join(bin, 'lines')}\n`)
  await chmod(join(bin, 'journalctl'), 0o755)
  return `${bin}:${process.env['PATH']}`
}

/** Unpacks a bundle and returns its files by their paths. */
async function unpack(path: string): Promise<Readonly<Record<string, string>>> {
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  const into = await mkdtemp(join(folder, 'unpacked-'))
  expect((await runToEnd('tar', ['-xzf', path, '-C', into])).code).toBe(0)
  const found = await readdir(into, { recursive: true, withFileTypes: true })
  const files = found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')))
  return Object.fromEntries(
    files.map((file, i) => [file.slice(into.length + 1).replace(/^[^/]+\//, ''), texts[i] ?? '']),
  )
}

function expectNone(files: Readonly<Record<string, string>>, secrets: readonly string[]): void {
  for (const [file, text] of Object.entries(files))
    for (const secret of secrets)
      for (const form of [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64')])
        expect([file, form, text.includes(form)]).toEqual([file, form, false])
}

const linesOf = (pem: string) => pem.split('\n').filter((line) => /^[\w+/=]{16,}$/.test(line))

it('roost support-bundle has what is needed, and no secret that is on this machine or in a record', async () => {
  const client = createClient({ url: roost.url, ca: roost.ca, apiKey: roost.key })
  const { clusters, users, gatewayShares, operators, apiKeys, tokens } = client.rpc
  const [cluster] = (await clusters.list.query({})).objects
  const id = cluster?.id ?? 0
  const node = await addNode(database, id, { hostname: 'gw-1', role: { create: { runsGateway: true } } })
  await clusters.setStorage.mutate({ id, auth_url: 'http://swift.example/auth', user: 'a:b', key: canary })
  await users.create.mutate({ cluster: id, user: 'bob', password: canary })
  const share = { node, name: 'docs', protocol: 'cifs' as const, objectstore_container: 'c' }
  await gatewayShares.create.mutate({ ...share, password: canary })
  const { id: operator } = await operators.create.mutate({ name: 'ann' })
  const key = (await apiKeys.create.mutate({ operator })).credentials.split(':')[1] ?? ''
  const { token } = await tokens.create.mutate({ cluster: id })
  await client.close()

  const read = (name: string) => readFile(join(roost.dataDir, name), 'utf8')
  const adminKey = roost.key.split(':')[1] ?? ''
  const stored = (await read('secrets.key')).trim().split(/\s+/).at(-1) ?? ''
  const pems = (await Promise.all([read('tls/ca.pem'), read('tls/server.pem')])).flatMap(
    (pem) => /-----BEGIN PRIVATE KEY-----[\s\S]*?-----END PRIVATE KEY-----/.exec(pem)?.[0] ?? [],
  )
  expect(pems).toHaveLength(2)
  const secrets = [canary, databasePassword, adminKey, stored, key, token, ...pems.flatMap(linesOf)]
  const free = [adminKey, stored, databasePassword, databaseUrl, key, token, ...pems.flatMap(linesOf)]
  const path = await journalOf('of-roost', [
    ...free.map((secret) => `plain ${secret} in a line`),
    ...pems,
    JSON.stringify({ level: 50, msg: 'failed', body: JSON.stringify({ user: 'bob', password: canary }) }),
    `Authorization: apikey ann:${key}`,
    `user_bob_bob = ${canary} .admin`,
    'the last line',
  ])

  const file = join(folder, 'bundle.tar.gz')
  const env = controlPlaneEnv(roost.dataDir, { DATABASE_URL: databaseUrl, PATH: path })
  const run = () => runToEnd(process.execPath, [roostProgram, 'support-bundle', file], { env })
  const { code, stdout, stderr } = await run()
  expect([code, stdout]).toEqual([
    0,
    expect.stringMatching(/^wrote \d+ files to \S+; read them before you send them\n$/),
  ])
  const files = await unpack(file)
  expectNone({ ...files, stdout, stderr }, secrets)

  const value = (name: string): unknown => JSON.parse(files[name] ?? 'null')
  expect(value('doctor.json')).toContainEqual({ check: 'database', verdict: 'ok', message: 'answers' })
  expect(value('settings.json')).toMatchObject({ dataDir: roost.dataDir, database: 'localhost', logLevel: 'info' })
  expect(value('versions.json')).toMatchObject({ roost: expect.stringMatching(/^\d/), node: process.version })
  expect(value('nodes.json')).toMatchObject({ objects: [{ hostname: 'gw-1' }] })
  expect(value(`clusters/${id}/health.json`)).toHaveProperty('verdict')
  const created = expect.objectContaining({ resource: 'users', action: 'create' })
  expect(value('audit_events.json')).toHaveProperty('objects', expect.arrayContaining([created]))
  const { migrations, tables } = value('database.json') as DatabaseDescription
  expect([migrations.length > 10, tables.map(({ name }) => name)]).toEqual([true, expect.arrayContaining(['nodes'])])
  expect(value('data-directory.json')).toContainEqual(expect.objectContaining({ path: 'secrets.key', mode: '600' }))
  expect(files['journal.txt']).toMatch(/plain \[hidden\] in a line\n[\s\S]*the last line$/)
  expect(files['metrics.txt']).toContain('roost_build_info')
  const { missing } = value('contents.json') as BundleContents
  expect(Object.keys(missing).filter((name) => name !== 'units.txt')).toEqual([])

  expect(await run()).toMatchObject({ code: 4, stderr: expect.stringContaining('already exists') })
})

it('roost support-bundle is written although the control plane is down, and says what it is without', async () => {
  const empty = await mkdtemp(join(folder, 'data-'))
  const file = join(folder, 'down.tar.gz')
  const env = controlPlaneEnv(empty, {
    ROOST_LISTEN: '127.0.0.1:1',
    DATABASE_URL: 'postgresql://u:pw123456@127.0.0.1:1/r',
  })
  const { code, stderr } = await runToEnd(process.execPath, [roostProgram, 'support-bundle', file], { env })
  expect([code, stderr]).toEqual([0, expect.stringMatching(/^without nodes\.json: https:\S+ does not answer/m)])
  const files = await unpack(file)
  expectNone(files, ['pw123456'])
  expect(Object.keys(files)).toEqual(expect.arrayContaining(['doctor.json', 'settings.json', 'versions.json']))
})

it('roost-agent support-bundle has neither the key of the node nor a password', async () => {
  const state = await enrolledState(roost.url, [roost.ca])
  const { dataDir } = state
  const identity = JSON.parse(await readFile(join(dataDir, 'identity.json'), 'utf8')) as {
    readonly private_key: string
  }
  await mkdir(join(dataDir, 'deployments'))
  await writeFile(join(dataDir, 'deployments', 'gateway.json'), JSON.stringify({ shares: [{ password: canary }] }))
  const token = randomBytes(20).toString('hex')
  const PATH = await journalOf('of-agent', [
    identity.private_key,
    ...linesOf(identity.private_key).map((line) => `plain ${line}`),
    `roost-agent enroll --token ${token}`,
    `password=${canary}`,
    'the last line',
  ])
  const file = join(folder, 'agent.tar.gz')
  const env = { ...agentEnv(dataDir), PATH }
  const { code, stdout, stderr } = await runToEnd(process.execPath, [agentProgram, 'support-bundle', '--file', file], {
    env,
  })
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^wrote \d+ files to /)])
  const files = await unpack(file)
  expectNone({ ...files, stdout, stderr }, [canary, token, ...linesOf(identity.private_key)])
  expect(JSON.parse(files['enrollment.json'] ?? '')).toMatchObject({ server: roost.url })
  expect(JSON.parse(files['inventory.json'] ?? '')).toHaveProperty('host.cpu_cores')
  expect(JSON.parse(files['state-directory.json'] ?? '')).toContainEqual(
    expect.objectContaining({ path: 'deployments', files: 1 }),
  )
  expect(files['journal.txt']).toMatch(/the last line$/)
  await state.remove()
})
