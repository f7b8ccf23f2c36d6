import { systemClock } from '@roost/runtime'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { startApi } from '../support/http/api.js'
import type { TestApi } from '../support/http/api.js'
import { pipelined } from '../support/http/raw-http.js'

let api: TestApi
beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.stop())

const refusal = { error: expect.stringContaining('credentials') }
const path = '/api/v1/clusters/'
let lastAddress = 1
/** A fresh address: the failures of another are not counted against it. */
const elsewhere = () => `127.0.1.${(lastAddress += 1)}`

/** Until the end of the test no window of the limits comes to its end. */
function standStill() {
  const time = vi.spyOn(systemClock, 'monotonic').mockReturnValue(systemClock.monotonic())
  onTestFinished(() => time.mockRestore())
  return time
}

describe('the Authorization header', () => {
  it('is apikey <user>:<key>', async () => {
    expect((await api.get(path)).status).toBe(200)
  })

  it('has a scheme that is compared without case', async () => {
    for (const scheme of ['ApiKey', 'APIKEY', 'apiKey'])
      expect((await api.get(path, { authorization: `${scheme} ${api.key}` })).status).toBe(200)
  })

  it('splits at the first colon', async () => {
    const key = await api.addOperator({ name: 'first' })
    const [user, secret] = key.split(':')
    expect((await api.get(path, { authorization: `apikey ${user}:${secret}` })).status).toBe(200)
    const wrong = await api.call(path, { headers: { authorization: `apikey ${user}:x:${secret}` }, from: elsewhere() })
    expect(wrong.status).toBe(401)
  })

  it('takes user names that hold blanks', async () => {
    const key = await api.addOperator({ name: 'Jane of Storage' })
    expect((await api.get(path, { authorization: `apikey ${key}` })).status).toBe(200)
  })

  it('tells user names apart by case', async () => {
    const key = await api.addOperator({ name: 'Case' })
    const lower = key.replace('Case', 'case')
    const answer = await api.call(path, { headers: { authorization: `apikey ${lower}` }, from: elsewhere() })
    expect(answer.status).toBe(401)
  })
})

describe('a failed authentication', () => {
  it('is the same 401 for every cause', async () => {
    const day = 86_400_000
    const revoked = await api.addOperator({ revokedAt: new Date() })
    const expired = await api.addOperator({ expiresAt: new Date(Date.now() - day) })
    const disabled = await api.addOperator({ enabled: false })
    const good = await api.addOperator({ expiresAt: new Date(Date.now() + day) })
    const headers = [
      null,
      '',
      'apikey',
      'apikey nothing',
      'Basic YWRtaW46eA==',
      `Bearer ${good}`,
      'apikey nobody:x',
      'apikey admin:wrong',
      `apikey ${revoked}`,
      `apikey ${expired}`,
      `apikey ${disabled}`,
      `apikey other:${good.split(':')[1]}`,
    ]
    const answers = await Promise.all(
      headers.map((authorization) => api.call(path, { headers: { authorization }, from: elsewhere() })),
    )
    for (const answer of answers) {
      expect(answer.status).toBe(401)
      expect(answer.headers['www-authenticate']).toBe('ApiKey')
      expect(answer.body).toEqual(refusal)
    }
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect((await api.get(path, { authorization: `apikey ${good}` })).status).toBe(200)
  })

  it('is what a key in the query string gets, whatever the header says', async () => {
    const [user, secret] = api.key.split(':')
    const query = `?username=${user}&api_key=${secret}`
    expect((await api.call(path + query, { headers: { authorization: null }, from: elsewhere() })).status).toBe(401)
    expect((await api.call(path + query, { from: elsewhere() })).status).toBe(401)
  })

  it('is refused with 429 after ten within a minute from one address, and the right key with it', async () => {
    const from = elsewhere()
    standStill()
    const wrong = { headers: { authorization: 'apikey admin:wrong' }, from }
    for (let i = 0; i < 10; i++) expect((await api.call(path, wrong)).status).toBe(401)
    const eleventh = await api.call(path, wrong)
    expect(eleventh.status).toBe(429)
    expect(Number(eleventh.headers['retry-after'])).toBeGreaterThan(0)
    expect(Number(eleventh.headers['retry-after'])).toBeLessThanOrEqual(60)
    expect((await api.call(path, { from })).status).toBe(429)
    expect((await api.call(path, { from: elsewhere() })).status).toBe(200)
  })

  it('ends soon after a key is revoked', async () => {
    const key = await api.addOperator({ name: 'soon revoked' })
    const call = () => api.call(path, { headers: { authorization: `apikey ${key}` }, from: '127.0.2.1' })
    expect((await call()).status).toBe(200)
    const operator = await api.database.prisma.operator.findUniqueOrThrow({ where: { name: 'soon revoked' } })
    await api.database.prisma.apiKey.updateMany({ where: { operatorId: operator.id }, data: { revokedAt: new Date() } })
    await expect.poll(async () => (await call()).status, { timeout: 60_000, interval: 600 }).toBe(401)
  })
})

describe('the order of checks', () => {
  const none = { authorization: null }

  it('answers 404 for an unknown route before it asks for credentials', async () => {
    expect((await api.get('/api/v1/nothing/', none)).status).toBe(404)
    expect((await api.get('/nothing', none)).status).toBe(404)
  })

  it('answers 405 with Allow for a wrong method before it asks for credentials', async () => {
    const answer = await api.call(path, { method: 'DELETE', headers: none })
    expect(answer.status).toBe(405)
    expect(answer.headers['allow']).toBe('GET, HEAD')
    expect(answer.body).toEqual({ error: expect.any(String) })
    for (const method of ['POST', 'PUT']) expect((await api.call(path, { method, headers: none })).status).toBe(405)
  })

  it('answers OPTIONS of a known path with Allow, without credentials and CORS headers', async () => {
    for (const [known, allow] of [
      [path, 'GET, HEAD'],
      ['/api/v1/users', 'GET, HEAD, POST'],
      ['/api/v1/users/999/', 'DELETE, GET, HEAD, PATCH'],
    ] as const) {
      const answer = await api.call(known, {
        method: 'OPTIONS',
        headers: { ...none, origin: 'https://a.example' },
      })
      expect([answer.status, answer.headers['allow'], answer.text]).toEqual([200, allow, ''])
      expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'))).toEqual([])
    }
    expect((await api.call('/api/v1/nothing/', { method: 'OPTIONS', headers: none })).status).toBe(404)
  })

  it('answers 401 for an unknown id without credentials', async () => {
    expect((await api.call('/api/v1/clusters/999/', { headers: none, from: elsewhere() })).status).toBe(401)
  })

  it('answers 403 before it looks the record up', async () => {
    const key = await api.addOperator({ role: 'read_only' })
    const headers = { authorization: `apikey ${key}` }
    expect((await api.patch('/api/v1/nodes/999/', {}, headers)).status).toBe(403)
  })

  it('counts the requests of a key before it looks the record up', async () => {
    const key = await api.addOperator()
    standStill()
    const lines = ['GET /api/v1/clusters/999/ HTTP/1.1', `Authorization: apikey ${key}`]
    const answers = [...(await pipelined(api, 250, lines)).matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)
    expect(new Set(answers)).toEqual(new Set(['404', '429']))
  })

  it('looks the record up before it reads media type and body', async () => {
    const text = { 'content-type': 'text/plain' }
    expect((await api.call('/api/v1/nodes/999/', { method: 'PATCH', body: 'x', headers: text })).status).toBe(404)
    expect((await api.call('/api/v1/nodes/999/', { method: 'PATCH', body: '{' })).status).toBe(404)
  })
})

it('a user of a cluster is no operator, superuser or not', async () => {
  const password = 'correct-horse-battery-staple'
  for (const [user, is_superuser] of [
    ['plain', false],
    ['super', true],
  ]) {
    const body = { cluster: 1, user, password, is_superuser }
    expect((await api.call('/api/v1/users/', { method: 'POST', body })).status).toBe(201)
    for (const name of [user, `${String(user)}:${String(user)}`]) {
      const headers = { authorization: `apikey ${String(name)}:${password}` }
      expect((await api.call(path, { headers, from: elsewhere() })).status).toBe(401)
    }
  }
})

describe('an operator', () => {
  it('that may only read gets 403 on every write', async () => {
    const headers = { authorization: `apikey ${await api.addOperator({ role: 'read_only' })}` }
    expect((await api.get('/api/v1/nodes/', headers)).status).toBe(200)
    for (const one of ['/api/v1/nodes/', '/api/v1/nodes/1/', '/api/v1/node/1']) {
      const answer = await api.patch(one, {}, headers)
      expect(answer.status).toBe(403)
      expect(answer.body).toEqual({ error: expect.any(String) })
    }
  })

  it('may have several keys, which all work', async () => {
    const key = await api.addOperator({ name: 'rotating' })
    const other = await api.addOperator({ name: 'donor' })
    const { prisma } = api.database
    const rotating = await prisma.operator.findUniqueOrThrow({ where: { name: 'rotating' } })
    const donor = await prisma.operator.findUniqueOrThrow({ where: { name: 'donor' } })
    await prisma.apiKey.updateMany({ where: { operatorId: donor.id }, data: { operatorId: rotating.id } })
    for (const secret of [key.split(':')[1], other.split(':')[1]])
      expect((await api.get(path, { authorization: `apikey rotating:${secret}` })).status).toBe(200)
  })

  it('has the time of the last use of each key kept', async () => {
    const key = await api.addOperator({ name: 'used' })
    await api.get(path, { authorization: `apikey ${key}` })
    const lastUse = async () => {
      const keys = await api.database.prisma.apiKey.findMany({ where: { operator: { name: 'used' } } })
      return keys[0]?.lastUsedAt
    }
    await expect.poll(lastUse).toBeInstanceOf(Date)
  })

  it('has keys that are kept as a digest alone', async () => {
    const secret = api.key.split(':')[1] ?? ''
    const keys = await api.database.prisma.apiKey.findMany()
    const stored = keys.map(({ digest }) => Buffer.from(digest).toString('latin1')).join()
    expect(stored).not.toContain(secret)
    expect(Buffer.from(secret, 'base64url').length * 8).toBeGreaterThanOrEqual(160)
  })
})

it('200 requests a second are served for each key, and more are 429 with Retry-After', async () => {
  const [key, other] = [await api.addOperator(), await api.addOperator()]
  const time = standStill()
  const answers = await pipelined(api, 250, ['HEAD /api/v1/clusters/schema/ HTTP/1.1', `Authorization: apikey ${key}`])
  expect(answers.match(/HTTP\/1\.1 200/g)).toHaveLength(200)
  expect(answers.match(/HTTP\/1\.1 429[^]*?retry-after: 1\r\n/gi)).toHaveLength(50)
  expect((await api.get(path, { authorization: `apikey ${other}` })).status).toBe(200)
  time.mockReturnValue(systemClock.monotonic() + 1_000)
  expect((await api.get(path, { authorization: `apikey ${key}` })).status).toBe(200)
})

it('index, versions, landing, health, OpenAPI and its page, and the script of installation need no credentials', async () => {
  for (const open of ['/', '/api', '/api/v1/', '/healthz', '/readyz', '/openapi.json', '/docs/', '/install.sh'])
    expect([open, (await api.get(open, { authorization: null })).status]).toEqual([open, 200])
})

it('there are no CORS headers for another origin', async () => {
  const answer = await api.get(path, { origin: 'https://elsewhere.example' })
  expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control-'))).toEqual([])
})
