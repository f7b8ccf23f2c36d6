import { once } from 'node:events'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startApi } from '../support/api.js'
import type { TestApi } from '../support/api.js'
import { addNode } from '../support/fleet-rows.js'
import { rawConnection, readAll } from '../support/raw-http.js'

let api: TestApi
let path: string
beforeAll(async () => {
  api = await startApi()
  path = `/api/v1/nodes/${await addNode(api.database, 1)}/`
})
afterAll(() => api.stop())

describe('a hostile body', () => {
  const cases: readonly (readonly [name: string, body: string, status: number])[] = [
    ['of 10 MB', `{"x":"${'x'.repeat(10_000_000)}"}`, 413],
    ['of 1 MiB of [', '['.repeat(1024 * 1024), 400],
    ['with 5,000 levels in 10 kB', `{"x":${'['.repeat(5_000)}${']'.repeat(5_000)}}`, 400],
    ['with 5,000 levels of objects', `${'{"x":'.repeat(5_000)}1${'}'.repeat(5_000)}`, 400],
    ['with a name twice', '{"enabled":true,"enabled":false}', 400],
    ['with a name twice, once escaped', String.raw`{"enabled":true,"\u0065nabled":false}`, 400],
    ['with __proto__', '{"__proto__":{"role":"admin"}}', 400],
    ['with __proto__, escaped', String.raw`{"\u005f_proto__":{"role":"admin"}}`, 400],
    ['with 1e400', '{"x":1e400}', 400],
    ['with -1e400 in depth', '{"x":[{"y":-1E+400}]}', 400],
    ['with 100,000 members', `{${Array.from({ length: 100_000 }, (_, i) => `"${i.toString(36)}":1`).join()}}`, 400],
    ['of 1 MiB of quotes', '"'.repeat(1024 * 1024), 400],
    ['of 1 MiB of escaped quotes', `"${'\\"'.repeat(524_000)}`, 400],
  ]
  it.each(cases)('%s is refused', async (_name, body, status) => {
    const answer = await api.call(path, { method: 'PATCH', body })
    expect(answer.status).toBe(status)
    expect(answer.body).toEqual({ error: expect.any(String) })
  })

  it('does not reach the prototype of anything', async () => {
    await api.patch(path, { constructor: { prototype: { polluted: true } } })
    expect({}).not.toHaveProperty('polluted')
  })

  it('that is large and refused leaves the server as quick and small as it was', async () => {
    const before = process.memoryUsage().rss
    for (let i = 0; i < 20; i++) await api.call(path, { method: 'PATCH', body: 'x'.repeat(2_000_000) })
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 * 1024)
    expect((await api.get(path)).status).toBe(200)
  })

  it('of any kind never makes a 500', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.json(),
          fc.string(),
          fc.object().map((value) => JSON.stringify(value)),
        ),
        async (body) => {
          const { status } = await api.call(path, { method: 'PATCH', body })
          expect([202, 400, 429]).toContain(status)
        },
      ),
      { numRuns: 100 },
    )
  })
})

it('a query of any kind never makes a 500', async () => {
  const name = fc.oneof(
    fc.constantFrom('id', 'enabled', 'hostname__in', 'cluster', 'ram_gb', 'limit', 'offset', 'order_by', 'uuid'),
    fc.string(),
  )
  const value = fc.oneof(
    fc.string(),
    fc.integer().map(String),
    fc.constantFrom('', '%', '\0', '/api/v1/clusters/1/', 'NaN', '1e309', '-0'),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(name, value), { maxLength: 4 }), async (pairs) => {
      const { status } = await api.get(
        `/api/v1/nodes/?${new URLSearchParams(pairs.map(([one, other]): [string, string] => [one, other]))}`,
      )
      expect([200, 400, 401, 429]).toContain(status)
    }),
    { numRuns: 100 },
  )
})

describe.concurrent('a connection', () => {
  it('whose headers come slowly is cut', async () => {
    const socket = await rawConnection(api)
    const dripping = setInterval(() => socket.writable && socket.write('x'), 200)
    socket.write('GET /healthz HTTP/1.1\r\nX-Slow: ')
    const started = Date.now()
    const answer = await readAll(socket)
    clearInterval(dripping)
    expect(answer).toMatch(/^HTTP\/1\.1 408 [^]*\{"error":/)
    expect(Date.now() - started).toBeLessThan(8_000)
  })

  it('whose body comes slowly is cut', async () => {
    const socket = await rawConnection(api)
    const started = Date.now()
    socket.write(
      `PATCH ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: apikey ${api.key}\r\nContent-Length: 100000\r\n\r\n`,
    )
    const dripping = setInterval(() => socket.writable && socket.write(' '), 200)
    await readAll(socket)
    clearInterval(dripping)
    expect(Date.now() - started).toBeLessThan(13_000)
  })

  it('that says nothing is cut', async () => {
    const socket = await rawConnection(api)
    const started = Date.now()
    await readAll(socket)
    expect(Date.now() - started).toBeLessThan(8_000)
  })

  it('that speaks no HTTP gets 400 as JSON', async () => {
    const socket = await rawConnection(api)
    socket.write('HELO roost\r\n\r\n')
    expect(await readAll(socket)).toMatch(
      /^HTTP\/1\.1 400 [^]*X-Request-Id: [^]*\{"error":"The request is not valid HTTP\."\}$/,
    )
  })
})

it('of a thousand connections without a key, the oldest goes; callers with a key are served meanwhile', async () => {
  expect((await api.get('/api/v1/clusters/')).status).toBe(200)
  const { hostname, port } = new URL(api.url)
  let closed = 0
  const strangers: Socket[] = []
  // In turns, or the kernel's queue of the listener overflows and the rest comes a second later.
  for (let turn = 0; turn < 11; turn++) {
    const some = Array.from({ length: 100 }, () => connect({ host: hostname, port: Number(port) }))
    for (const socket of some) {
      socket.on('error', () => {})
      socket.resume().once('close', () => (closed += 1))
    }
    await Promise.all(some.map((socket) => once(socket, 'connect')))
    strangers.push(...some)
  }
  await expect.poll(() => closed, { timeout: 10_000 }).toBeGreaterThanOrEqual(100)
  expect((await api.get('/api/v1/clusters/')).status).toBe(200)
  for (const socket of strangers) socket.destroy()
})

describe('GET / with ?url=', () => {
  const to = async (url: string) => {
    const { status, headers } = await api.get(`/?url=${encodeURIComponent(url)}`, { authorization: null })
    return { status, location: headers['location'] }
  }

  it('leaves this server for no URL', async () => {
    const known = [
      '//evil.example',
      String.raw`/\evil.example`,
      String.raw`\\evil.example`,
      'https://evil.example',
      '/\t/evil.example',
      '/\n/evil',
      'javascript:alert(1)',
      'data:text/html,x',
      '///evil',
      '/%2fevil',
      '/..//evil.example',
      '/.//evil',
      'http:evil.example',
      '@evil.example',
      '/@evil.example',
      '/api/v1/../../..//evil',
      '/\u0000/evil',
      ' /evil',
      '/ /evil',
      '/／evil',
      '',
      'evil',
    ]
    const schemes = fc.constantFrom('', 'http:', 'https:', 'ftp:', 'javascript:', 'HTTPS:', 'ht\ttps:')
    const slashes = fc.constantFrom(
      '',
      '/',
      '//',
      '///',
      String.raw`\\`,
      String.raw`/\ `.trim(),
      '/\t/',
      '/%2f',
      '/%5c',
      '/./',
      '/../',
    )
    const hosts = fc.constantFrom(
      'evil.example',
      'evil.example/api/v1/nodes/',
      '[::1]',
      'user@evil.example',
      '127.0.0.1@evil.example',
      '',
    )
    const made = fc
      .sample(fc.tuple(schemes, slashes, hosts, fc.string({ maxLength: 8 })), 1_000)
      .map((parts) => parts.join(''))
    for (const url of [...known, ...made]) {
      const { status, location } = await to(url)
      expect([url, status]).toEqual([url, location === undefined ? 400 : 302])
      expect([url, location ?? '/docs/']).toEqual([url, expect.stringMatching(/^\/docs\/(?:#\/\w+\/\w+)?$/)])
    }
  })
})
