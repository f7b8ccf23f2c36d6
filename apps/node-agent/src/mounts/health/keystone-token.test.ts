import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { StorageLogin } from '@roost/api-types/agent'
import { TestClock } from '@roost/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createStorageCheck } from './storage-check.js'
import { createStorageClient } from './storage-client.js'

/** The answers are those of Debian's Keystone 22, and for version 2 those of its last release. What it refuses is tested on a real one. */
const endpoints = () => [
  { region: 'One', interface: 'public', url: `${origin}/v1/AUTH_public` },
  { region: 'Two', interface: 'internal', url: `${origin}/v1/AUTH_two/` },
  { region: 'One', interface: 'internal', url: `${origin}/v1/AUTH_one` },
]
const version3 = () => ({
  token: {
    issued_at: '2026-11-23T17:00:00.000000Z',
    expires_at: '2026-11-23T18:00:00.000000Z',
    project: { name: 'docs', domain: { name: 'Default' } },
    catalog: [
      { type: 'identity', endpoints: [{ region: 'One', interface: 'public', url: 'http://other' }] },
      { type: 'object-store', endpoints: endpoints() },
    ],
  },
})
const version2 = () => ({
  access: {
    token: { id: 'token', issued_at: '2014-01-30T15:49:11.054709', expires: '2014-01-31T15:49:11Z' },
    serviceCatalog: [
      {
        type: 'object-store',
        endpoints: [{ region: 'One', publicURL: `${origin}/v1/AUTH_public`, internalURL: `${origin}/v1/AUTH_one` }],
      },
    ],
  },
})

let origin: string
let asked: { readonly path: string; readonly body: object }[]
let connections: (string | undefined)[]
let accountStatus: number
let headed: number
const server = createServer((request, response) => {
  let text = ''
  request.on('data', (part) => (text += String(part)))
  request.on('end', () => {
    const path = request.url ?? ''
    if (request.method === 'HEAD') {
      headed += 1
      response.writeHead(accountStatus).end()
    } else {
      asked.push({ path, body: JSON.parse(text) })
      connections.push(request.headers.connection)
      const isVersion3 = path === '/v3/auth/tokens'
      response.writeHead(isVersion3 ? 201 : 200, { 'x-subject-token': 'token' })
      response.end(JSON.stringify(isVersion3 ? version3() : version2()))
    }
  })
})
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => new Promise((resolve) => server.close(resolve)))
beforeEach(() => {
  asked = []
  connections = []
  accountStatus = 204
  headed = 0
})

const byPassword = (more: Partial<StorageLogin> = {}): StorageLogin => ({
  auth_url: `${origin}/v3`,
  auth_version: 3,
  user: 'shares',
  key: 'S3CR3T',
  user_domain: 'People',
  project: 'docs',
  project_domain: 'Default',
  ...more,
})
const byCredential = (more: Partial<StorageLogin> = {}): StorageLogin => ({
  auth_url: `${origin}/v3/`,
  auth_version: 3,
  user: '',
  key: 'S3CR3T',
  application_credential_id: '1f2e',
  ...more,
})
const accountOf = async (login: StorageLogin) => (await createStorageClient().open(login)).url

describe('a login to Keystone', () => {
  it('has the endpoint of its interface and region, the public one of the first region by default', async () => {
    expect(await accountOf(byPassword())).toBe(`${origin}/v1/AUTH_public`)
    expect(await accountOf(byPassword({ interface: 'internal' }))).toBe(`${origin}/v1/AUTH_two`)
    expect(await accountOf(byPassword({ interface: 'internal', region: 'One' }))).toBe(`${origin}/v1/AUTH_one`)
  })

  it('says which endpoints there are where none fits', async () => {
    await expect(accountOf(byPassword({ region: 'Three' }))).rejects.toThrow(
      'no object-store endpoint with the interface public in the region Three for this project. It has: public in One, internal in Two, internal in One',
    )
  })

  it('asks by password for a project, and by an application credential without a scope', async () => {
    const secret = { secret: 'S3CR3T' }
    await accountOf(byPassword())
    await accountOf(byCredential())
    const { project: _, ...named } = byPassword({ application_credential_name: 'gateways' })
    await accountOf(named)
    const user = { name: 'shares', domain: { name: 'People' } }
    const methods = ['application_credential']
    expect(asked).toEqual([
      {
        path: '/v3/auth/tokens',
        body: {
          auth: {
            identity: { methods: ['password'], password: { user: { ...user, password: 'S3CR3T' } } },
            scope: { project: { name: 'docs', domain: { name: 'Default' } } },
          },
        },
      },
      {
        path: '/v3/auth/tokens',
        body: { auth: { identity: { methods, application_credential: { id: '1f2e', ...secret } } } },
      },
      {
        path: '/v3/auth/tokens',
        body: { auth: { identity: { methods, application_credential: { name: 'gateways', ...secret, user } } } },
      },
    ])
  })

  it('asks by version 2 for a tenant', async () => {
    const login: StorageLogin = {
      auth_url: `${origin}/v2.0`,
      auth_version: 2,
      user: 'shares',
      key: 'S3CR3T',
      project: 'docs',
      interface: 'internal',
    }
    expect(await accountOf(login)).toBe(`${origin}/v1/AUTH_one`)
    const passwordCredentials = { username: 'shares', password: 'S3CR3T' }
    expect(asked).toEqual([{ path: '/v2.0/tokens', body: { auth: { passwordCredentials, tenantName: 'docs' } } }])
  })

  it('is refused when an application credential is one of another project', async () => {
    expect(await accountOf(byCredential({ project: 'docs', project_domain: 'Default' }))).toBe(
      `${origin}/v1/AUTH_public`,
    )
    for (const [project, domain] of [
      ['other', 'Default'],
      ['docs', 'Other'],
    ] as const)
      await expect(accountOf(byCredential({ project, project_domain: domain }))).rejects.toThrow(
        `answered with a token of the project docs of the domain Default, not of ${project}`,
      )
  })

  it('uses a token for five minutes, and no longer once Swift refuses it', async () => {
    const clock = new TestClock()
    const check = createStorageCheck(createStorageClient(5_000, clock))
    for (let i = 0; i < 3; i += 1) expect(await check(byPassword())).toBeUndefined()
    expect(asked).toHaveLength(1)
    expect(await check(byPassword({ key: 'another' }))).toBeUndefined()
    expect(asked).toHaveLength(2)
    await clock.pass(300_000)
    expect(await check(byPassword())).toBeUndefined()
    expect(asked).toHaveLength(3)
  })

  it('logs in again where Swift refuses the token, once the second of a revocation is over', async () => {
    const clock = new TestClock()
    const check = createStorageCheck(createStorageClient(5_000, clock))
    const passUntil = async <T>(work: Promise<T>): Promise<T> => {
      const timer = setInterval(() => void clock.pass(1_100), 5)
      return work.finally(() => clearInterval(timer))
    }
    accountStatus = 401
    expect(await passUntil(check(byPassword()))).toBe(`${origin}/v1/AUTH_public answered with 401`)
    expect(asked).toHaveLength(2)
    const checked = check(byPassword())
    await expect.poll(() => asked.length).toBe(3)
    await expect.poll(() => headed).toBe(3)
    accountStatus = 204
    expect(await passUntil(checked)).toBeUndefined()
    expect(asked).toHaveLength(4)
  })

  it('has a connection of its own, which Keystone cannot close while it is used again', async () => {
    for (const key of ['one', 'two']) await accountOf(byPassword({ key }))
    expect(connections).toEqual(['close', 'close'])
  })

  it('names the remedy where Swift refuses the role of the user', async () => {
    accountStatus = 403
    expect(await createStorageCheck(createStorageClient())(byPassword())).toMatch(
      /403: give the user one of the operator_roles/,
    )
  })
})
