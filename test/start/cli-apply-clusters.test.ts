import { createServer } from 'node:http'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { AuditEvent } from '@roost/api-types/rest'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { addCluster } from '../support/agents/fleet-rows.js'
import { useRoostCli } from '../support/programs/roost-cli.js'

const suite = await useRoostCli()
const { cli, database } = suite
const secrets = ['S3CR3T-of-storage', 'S3CR3T-of-keystone'] as const
let keystone: Server
let keystoneUrl: string
let folder: string
let count = 0
let prod: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'roost-apply-clusters-'))
  await writeFile(join(folder, 'storage.key'), `${secrets[0]}\n`)
  await writeFile(join(folder, 'keystone.key'), `${secrets[1]}\n`)
  keystone = createServer(answerAsKeystone).listen(0, '127.0.0.1')
  await new Promise((resolve) => keystone.once('listening', resolve))
  keystoneUrl = `http://127.0.0.1:${(keystone.address() as AddressInfo).port}/v3`
})
afterAll(() => {
  keystone.closeAllConnections()
  keystone.close()
})
beforeEach(async () => {
  count += 1
  prod = `prod-${count}`
  await addCluster(database, prod)
})

/** Another machine: a Keystone that accepts one password, and has two roles and no project. */
const answerAsKeystone: Parameters<typeof createServer>[1] = (request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const answer = (status: number, body: object) =>
      response
        .writeHead(status, { 'content-type': 'application/json', 'x-subject-token': 'token' })
        .end(JSON.stringify(body))
    const { pathname } = new URL(request.url ?? '', 'http://keystone')
    if (pathname === '/v3/auth/tokens')
      return Buffer.concat(chunks).includes(secrets[1])
        ? answer(201, { token: { user: { id: 'admin' } } })
        : answer(401, { error: { message: 'The request you have made requires authentication.' } })
    if (pathname === '/v3/roles') return answer(200, { roles: ['member', 'ResellerAdmin'].map(roleOf) })
    return pathname === '/v3/projects' ? answer(200, { projects: [] }) : answer(404, {})
  })
}
const roleOf = (name: string) => ({ id: name.toLowerCase(), name, domain_id: null })

const write = async (...documents: readonly string[]) => {
  const path = join(folder, `${count}.yaml`)
  await writeFile(path, documents.map((text) => `${text.trim()}\n`).join('---\n'))
  return path
}
const apply = async (text: string, ...args: readonly string[]) =>
  cli('apply', '-f', await write(text), '--yes', ...args)
const json = async <T>(...args: readonly string[]) => JSON.parse((await cli(...args, '-o', 'json')).stdout) as T
const storage = (more = '', key = 'key_file: storage.key') => `
kind: cluster
name: ${prod}
storage: {auth_url: "https://keystone.example:5000/v3", user: shares, user_domain: Default, project: docs, region: One${more}, ${key}}`
const identity = (more = '', key = 'key_file: keystone.key') => `
kind: cluster
name: ${prod}
identity: {auth_url: "${keystoneUrl}", user: admin, project: admin${more}, ${key}}`

/** The audit of one run, whose id the command prints. */
const auditOf = async ({ stdout }: { readonly stdout: string }) => {
  const [, group = ''] = /--request-id (\S+)" shows/.exec(stdout) ?? []
  return json<readonly AuditEvent[]>('audit', 'list', '--request-id', group)
}

describe('roost apply of the storage login of a cluster', () => {
  it('creates and changes it by the key of a file, which is in no output and no audit', async () => {
    const created = await apply(storage())
    expect([created.code, created.stderr]).toEqual([0, ''])
    expect(created.stdout).toContain(`change cluster ${prod}\n  storage.auth_url: none -> "https://keystone.example`)
    const [event] = await auditOf(created)
    expect(event).toMatchObject({ action: 'set_storage', changes: { key: [null, '***'], user: [null, 'shares'] } })
    expect(await json('cluster', 'storage', prod)).toMatchObject([{ region: 'One', interface: 'public' }])
    expect((await apply(storage())).stdout).toBe('Nothing to change.\n')
    const changed = await apply(storage().replace('One', 'Two'))
    expect(changed.stdout).toMatch(
      new RegExp(`^change cluster ${prod}\n  storage.region: "One" -> "Two"\n1 change made`),
    )
    expect(Object.keys((await auditOf(changed))[0]?.changes ?? {}).toSorted()).toEqual(['key', 'region'])
    const outputs = [created, changed, await cli('audit', 'list', '-o', 'json')]
    expect(JSON.stringify(outputs)).not.toContain(secrets[0])
  })

  it('keeps the fields that the document leaves out', async () => {
    await apply(storage(', interface: internal'))
    const less = `kind: cluster\nname: ${prod}\nstorage: {project: archive, key_file: storage.key}`
    expect((await apply(less)).stdout).toMatch(/^.*\n {2}storage.project: "docs" -> "archive"\n1 change/)
    expect(await json('cluster', 'storage', prod)).toMatchObject([
      { user: 'shares', project: 'archive', region: 'One', interface: 'internal' },
    ])
  })

  it('drops the fields of a user when an application credential takes its place, and shows them', async () => {
    await apply(storage())
    const credential = `kind: cluster\nname: ${prod}\nstorage: {application_credential_id: 1f2e, key_file: storage.key}`
    const { code, stdout } = await apply(credential)
    expect([code, stdout]).toEqual([0, expect.stringContaining('  storage.user: "shares" -> null\n')])
    expect(await json('cluster', 'storage', prod)).toMatchObject([
      { application_credential_id: '1f2e', user: null, user_domain: null, auth_url: expect.stringMatching(/v3$/) },
    ])
  })

  it('refuses a change without key_file, with one that is not there, and with the key in the file', async () => {
    const none = await apply(storage('', 'auth_version: 3'))
    expect([none.code, none.stderr]).toEqual([
      2,
      expect.stringMatching(
        /\.yaml:1: storage: Changes need the key\. Give its path as key_file\.\nNothing was changed/,
      ),
    ])
    const missing = await apply(storage('', 'key_file: nowhere.key'))
    expect([missing.code, missing.stderr]).toEqual([
      2,
      expect.stringContaining(`Cannot read the key file ${join(folder, 'nowhere.key')} (ENOENT)`),
    ])
    const open = await apply(storage('', `key: ${secrets[0]}`))
    expect([open.code, open.stderr]).toEqual([2, expect.stringContaining('storage: Unrecognized key: "key"')])
    expect(open.stdout + open.stderr).not.toContain(secrets[0])
    expect((await cli('cluster', 'storage', prod)).code).toBe(3)
  })

  it('is checked by the server before the first change', async () => {
    const wrong = await apply(storage(', interface: external'), '--dry-run')
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringMatching(/change cluster prod-\d+: .*interface/)])
    expect((await apply(storage(), '--dry-run')).stdout).toMatch(/1 to change, 0 to remove. Nothing was changed.\n$/)
    expect((await cli('cluster', 'storage', prod)).code).toBe(3)
  })
})

describe('roost apply of the identity service of a cluster', () => {
  it('creates and changes it after a login to Keystone, without the key in output and audit', async () => {
    const created = await apply(identity())
    expect([created.code, created.stderr]).toEqual([0, ''])
    expect((await auditOf(created))[0]).toMatchObject({ action: 'set_identity', changes: { key: [null, '***'] } })
    const changed = await apply(identity(', domain: swift-users'))
    expect(changed.stdout).toContain('  identity.domain: "roost" -> "swift-users"\n')
    expect(await json('cluster', 'identity', prod)).toMatchObject([{ domain: 'swift-users', role: 'member' }])
    expect((await apply(identity(', domain: swift-users', 'key_file: gone.key'))).stdout).toBe('Nothing to change.\n')
    const withSlash = identity(', domain: swift-users').replace(keystoneUrl, `${keystoneUrl}/`)
    expect((await apply(withSlash)).stdout).toBe('Nothing to change.\n')
    const outputs = [created, changed, await cli('audit', 'list', '-o', 'json')]
    expect(JSON.stringify(outputs)).not.toContain(secrets[1])
  })

  it('reports what the Keystone answered to the check, and changes nothing', async () => {
    const refused = await apply(identity('', 'key_file: storage.key'))
    expect([refused.code, refused.stderr]).toEqual([
      2,
      expect.stringMatching(/change cluster prod-\d+: .*Keystone answered 401 to the login.*\nNothing was changed/),
    ])
    const silent = await apply(identity().replace(keystoneUrl, 'http://127.0.0.1:1/v3'))
    expect([silent.code, silent.stderr]).toEqual([2, expect.stringMatching(/does not answer \(ECONNREF/)])
    const role = await apply(identity(', role: swiftoperator'))
    expect(role.stderr).toContain('openstack role create swiftoperator')
    const none = await apply(identity('', 'domain: roost'))
    expect(none.stderr).toContain('identity: Changes need the key. Give its path as key_file.')
    expect((await cli('cluster', 'identity', prod)).code).toBe(3)
  })
})

describe('-o yaml of clusters', () => {
  it('is what apply accepts, without keys: of a login, and of the list with both logins', async () => {
    expect((await apply(storage())).code).toBe(0)
    expect((await apply(identity())).code).toBe(0)
    const shown = {
      storage: (await cli('cluster', 'storage', prod, '-o', 'yaml')).stdout,
      identity: (await cli('cluster', 'identity', prod, '-o', 'yaml')).stdout,
      list: (await cli('cluster', 'list', '-o', 'yaml')).stdout,
    }
    expect(shown.list).toContain(`kind: cluster\nname: ${prod}\nstorage:\n`)
    expect(shown.list).toContain(shown.identity.slice(shown.identity.indexOf('identity:')).trim())
    for (const text of Object.values(shown)) {
      expect(text).not.toMatch(/S3CR3T|\bkey(?:_file)?:/)
      expect((await apply(text)).stdout).toBe('Nothing to change.\n')
    }
    await cli('cluster', 'unset-storage', prod)
    const again = await apply(shown.storage.replace('storage:\n', 'storage:\n  key_file: storage.key\n'))
    expect([again.code, again.stderr]).toEqual([0, ''])
    expect((await cli('cluster', 'storage', prod, '-o', 'yaml')).stdout).toBe(shown.storage)
  })

  it('makes a cluster with its logins from nothing, in one file', async () => {
    const made = storage().replace(prod, `new-${count}`)
    const { code, stdout } = await apply(made)
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^create cluster new-.*\nchange cluster new-[^]*2 changes made/),
    ])
    expect(await json('cluster', 'storage', `new-${count}`)).toMatchObject([{ project: 'docs' }])
  })
})
