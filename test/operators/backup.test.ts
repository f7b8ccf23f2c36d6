import { cp, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@roost/api-types'
import { loadSecretKeys, createSecrets } from '@roost/control-plane/dist/secrets/secrets.js'
import { gunzipSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { controlPlaneEnv, startControlPlane } from '../support/http/control-plane.js'
import type { ControlPlaneProcess } from '../support/http/control-plane.js'
import { createTestDatabase } from '../support/database/database.js'
import { addCluster } from '../support/agents/fleet-rows.js'
import { runRoost } from '../support/programs/processes.js'
import { request } from '../support/http/request.js'

const password = 'correct-horse-battery-staple'
const home = await mkdtemp(join(tmpdir(), 'roost-backup-'))
const path = (name: string) => join(home, name)
const source = await createTestDatabase()
const target = await createTestDatabase('template1')
const later = await createTestDatabase()
const databases = [source, target, later]

let roost: ControlPlaneProcess
let clusterId = 0
let made: Awaited<ReturnType<typeof runRoost>>
const roostOn =
  (database: { readonly url: string }, dataDir: string) =>
  (...args: readonly string[]) =>
    runRoost(args, controlPlaneEnv(path(dataDir), { DATABASE_URL: database.url }))
const here = roostOn(source, 'here')

beforeAll(async () => {
  roost = await startControlPlane({ dataDir: path('here'), env: { DATABASE_URL: source.url } })
  clusterId = await addCluster(source)
  const { rpc, close } = clientOf(roost)
  await rpc.users.create.mutate({ cluster: clusterId, user: 'bob', password })
  await rpc.users.create.mutate({ cluster: clusterId, user: 'gone', password })
  const { objects } = await rpc.users.list.query({ filters: { user: 'gone' } })
  await rpc.users.remove.mutate({ id: objects[0]?.id ?? '' })
  await close()
  made = await here('local', 'backup', path('first.backup'))
})
afterAll(async () => {
  await roost.stop()
  for (const database of databases) await database.drop()
  await rm(home, { recursive: true, force: true })
})

/** One that runs no longer than the test, so that the next one may have its data directory. */
async function startOn(database: { readonly url: string }, dataDir: string): Promise<ControlPlaneProcess> {
  const started = await startControlPlane({ dataDir: path(dataDir), env: { DATABASE_URL: database.url } })
  onTestFinished(async () => void (await started.stop()))
  return started
}

function clientOf({ url, ca, key }: ControlPlaneProcess) {
  const client = createClient({ url, ca, apiKey: key })
  return { rpc: client.rpc, close: () => client.close() }
}

/** The password that the database of a data directory holds for a user. */
async function passwordOf(database: typeof source, dataDir: string, name: string): Promise<string> {
  const { password: sealed } = await database.prisma.user.findFirstOrThrow({ where: { name } })
  return createSecrets(await loadSecretKeys(join(path(dataDir), 'secrets.key'))).open(
    'user-password',
    sealed ?? new Uint8Array(),
  )
}

describe('a backup', () => {
  it('is made while the control plane runs, for its account alone, and never over another', async () => {
    expect(made).toMatchObject({ code: 0, stderr: '' })
    expect((await stat(path('first.backup'))).mode & 0o777).toBe(0o600)
    expect(await here('local', 'backup', path('first.backup'))).toMatchObject({ code: 4 })
  })

  it('is refused when a file that belongs to it cannot be read', async () => {
    await cp(path('here'), path('closed'), { recursive: true, filter: (name) => !name.endsWith('roost.pid') })
    await rm(join(path('closed'), 'ca.pem'))
    await mkdir(join(path('closed'), 'ca.pem'))
    const refused = await roostOn(source, 'closed')('local', 'backup', path('closed.backup'))
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('ca.pem (EISDIR)') })
    await expect(stat(path('closed.backup'))).rejects.toThrow('ENOENT')
  })

  it('restored on another machine is the same control plane: keys, users, passwords, authority, audit', async () => {
    const there = roostOn(target, 'there')
    const restored = await there('local', 'restore', path('first.backup'))
    expect(restored).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^restored the backup of Roost \S+ from \d{4}-/),
    })
    const second = await startOn(target, 'there')
    expect(second.key).toBe(roost.key)
    expect(second.ca).toBe(roost.ca)
    const lists = ['users', 'clusters', 'audit_events'].map((name) => `/api/v1/${name}/?limit=0`)
    for (const list of lists) expect((await request(second, list)).body).toEqual((await request(roost, list)).body)
    expect(await passwordOf(target, 'there', 'bob')).toBe(password)
    const { rpc, close } = clientOf(second)
    const { id } = await rpc.users.create.mutate({ cluster: clusterId, user: 'carol', password })
    expect(Number(id)).toBe((await source.prisma.user.findFirstOrThrow({ where: { name: 'bob' } })).id + 2)
    expect((await rpc.users.list.query({ filters: { cluster: clusterId } })).total).toBe(2)
    await close()
  })

  it('overwrites nothing without --force', async () => {
    const there = roostOn(later, 'later')
    await addCluster(later, 'precious')
    const refused = await there('local', 'restore', path('first.backup'))
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/is not empty\. Use --force/) })
    expect(await later.prisma.cluster.count({ where: { name: 'precious' } })).toBe(1)
    expect(await there('local', 'restore', path('first.backup'), '--force')).toMatchObject({ code: 0 })
    expect(await later.prisma.cluster.count({ where: { name: 'precious' } })).toBe(0)
    expect(await later.prisma.user.count()).toBe(1)
    expect(await there('local', 'restore', path('first.backup'))).toMatchObject({ code: 4 })
  })

  it('is not restored under a control plane that runs', async () => {
    for (const flags of [[], ['--force']]) {
      const refused = await here('local', 'restore', path('first.backup'), ...flags)
      expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('Stop it first') })
    }
  })

  it('that cannot be written says where and what to do', async () => {
    const refused = await here('local', 'backup', path('nowhere/first.backup'))
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toMatch(/^roost: Cannot write \S+nowhere\/first\.backup \(ENOENT\)\. Use a path/)
  })

  it('that is torn, altered or none changes nothing', async () => {
    const backup = await readFile(path('first.backup'))
    const there = roostOn(later, 'torn')
    const before = await later.prisma.user.count()
    const faulty = { torn: backup.subarray(0, backup.length - 20), none: Buffer.from('hello'), empty: Buffer.alloc(0) }
    for (const [name, bytes] of Object.entries(faulty)) {
      await writeFile(path(name), bytes)
      expect(await there('local', 'restore', path(name), '--force')).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/incomplete|not a backup/),
      })
    }
    expect(await there('local', 'restore', path('nowhere'), '--force')).toMatchObject({ code: 1 })
    expect(await later.prisma.user.count()).toBe(before)
  })
})

describe('a restore that fails in the middle', () => {
  it('leaves what was there, to the last row and file', async () => {
    const [backup, there] = [await readFile(path('first.backup')), roostOn(later, 'later')]
    const lines = gunzipSync(backup).toString().trimEnd().split('\n')
    const row = lines.findLastIndex((line) => line.startsWith('R '))
    const twice = lines.toSpliced(row, 0, lines[row] ?? '').toSpliced(-1, 1, `E ${Number(lines.at(-1)?.slice(2)) + 1}`)
    await writeFile(path('twice.backup'), gzipSync(`${twice.join('\n')}\n`))
    const files = () =>
      Promise.all(['secrets.key', 'admin.apikey'].map((name) => readFile(join(path('later'), name), 'utf8')))
    const rows = async () => (await later.pool.query('select * from audit_events order by id')).rows
    await addCluster(later, 'precious')
    const before = [await rows(), await files()]
    const failed = await there('local', 'restore', path('twice.backup'), '--force')
    expect(failed.code).not.toBe(0)
    expect([await rows(), await files()]).toEqual(before)
    expect(await later.prisma.cluster.count({ where: { name: 'precious' } })).toBe(1)
    const again = await startOn(later, 'later')
    expect((await request(again, '/api/v1/users/')).status).toBe(200)
  })
})

describe('a restore after which PostgreSQL makes no statistics', () => {
  it('has succeeded, with the keys of the backup', async () => {
    const key = join(path('later'), 'admin.apikey')
    await writeFile(key, 'admin:of-before')
    // ANALYZE calls the function of the index.
    await later.pool.query(`create schema beside;
      create function beside.f(n int) returns int immutable language sql as 'select n';
      create table beside.t as select 1 as n; create index on beside.t (beside.f(n));
      create or replace function beside.f(n int) returns int immutable language sql as 'select n / 0'`)
    const restored = await roostOn(later, 'later')('local', 'restore', path('first.backup'), '--force')
    await later.pool.query('drop schema beside cascade')
    expect(restored).toMatchObject({ code: 0, stdout: expect.stringMatching(/^restored the backup/) })
    expect(restored.stderr).toContain('could not analyze the restored database')
    expect(await readFile(key, 'utf8')).toBe(await readFile(join(path('here'), 'admin.apikey'), 'utf8'))
  })
})

describe('the encryption key', () => {
  it('of another installation is refused at the start', async () => {
    await mkdir(path('other'))
    await writeFile(join(path('other'), 'secrets.key'), `0123abcd ${Buffer.alloc(32, 7).toString('base64')}\n`)
    const { code, stderr } = await roostOn(later, 'other')('local', 'serve')
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/other.secrets\.key has the key 0123abcd, but this database was used with the key \w{8}\./),
    ])
    const right = await startOn(later, 'later')
    expect(right.output()).not.toContain('key file')
  })

  it('is not replaced while the control plane runs', async () => {
    expect(await here('local', 'rotate-secrets-key')).toMatchObject({ code: 1 })
  })

  it('is replaced by another, under which every password opens and the old one opens none', async () => {
    const file = join(path('later'), 'secrets.key')
    const old = await loadSecretKeys(file)
    const rotated = await roostOn(later, 'later')('local', 'rotate-secrets-key')
    expect(rotated).toMatchObject({ code: 0, stdout: expect.stringContaining('encrypted 1 secrets with it') })
    const now = await loadSecretKeys(file)
    expect(now).toHaveLength(1)
    expect(now[0]?.id).not.toBe(old[0]?.id)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await passwordOf(later, 'later', 'bob')).toBe(password)
    const { password: sealed } = await later.prisma.user.findFirstOrThrow()
    expect(() => createSecrets(old).open('user-password', sealed ?? new Uint8Array())).toThrow(/is not in secrets\.key/)
  })

  it('whose replacement was interrupted is replaced by the next run', async () => {
    const file = join(path('later'), 'secrets.key')
    const text = await readFile(file, 'utf8')
    await writeFile(file, `0123abcd ${Buffer.alloc(32, 7).toString('base64')}\n${text}`)
    expect(await roostOn(later, 'later')('local', 'rotate-secrets-key')).toMatchObject({ code: 0 })
    expect((await loadSecretKeys(file)).map(({ id }) => id)).toEqual(['0123abcd'])
    expect(await passwordOf(later, 'later', 'bob')).toBe(password)
  })
})

describe('roost local reset-admin', () => {
  it('lets the host in again when the administrator is disabled and the key is lost', async () => {
    await source.prisma.operator.updateMany({ data: { enabled: false, role: 'read_only' } })
    await rm(join(path('here'), 'admin.apikey'))
    const { code, stdout } = await here('local', 'reset-admin')
    expect(code).toBe(0)
    expect(stdout).toBe(await readFile(join(path('here'), 'admin.apikey'), 'utf8'))
    expect(await here('operator', 'list')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/admin +admin +true +2/),
    })
    const event = await source.prisma.auditEvent.findFirstOrThrow({ orderBy: { id: 'desc' } })
    expect(event).toMatchObject({ operator: 'local', address: 'local', resource: 'api_keys', action: 'create' })
    expect(JSON.stringify(event)).not.toContain(stdout.trim().split(':')[1])
  })
})
