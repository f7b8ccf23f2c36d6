import { resources } from '@roost/api-types/rpc'
import type { Declaration } from '@roost/api-types/rpc'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rawConnection, readAll } from '../support/http/raw-http.js'
import { startApi } from '../support/http/api.js'
import type { TestApi } from '../support/http/api.js'
import { exampleBody } from '../support/http/examples.js'
import { openApiContract } from '../support/http/openapi-contract.js'
import { addNode } from '../support/agents/fleet-rows.js'

let api: TestApi
let path: string
beforeAll(async () => {
  api = await startApi()
  path = `/api/v1/nodes/${await addNode(api.database, 1)}/`
})
afterAll(() => api.stop())

const head = (header: string) =>
  `PATCH ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: apikey ${api.key}\r\n${header}\r\n\r\n`

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

  it.each(['{', 'x', '{"enabled": true,}', "{'enabled': true}"])('%s is no JSON', async (body) => {
    const { status, body: answer } = await api.call(path, { method: 'PATCH', body })
    expect([status, answer]).toEqual([400, { error: 'Request is not valid JSON.' }])
  })

  it('that says how large it is is refused before it is sent', async () => {
    const socket = await rawConnection(api)
    socket.write(head(`Content-Length: ${10 * 1024 * 1024}`))
    expect(await readAll(socket)).toMatch(/^HTTP\/1\.1 413 [^]*\{"error":"The request body is larger than 1 MiB\."\}$/)
  })

  it('that does not is refused as soon as it is too large', async () => {
    const socket = await rawConnection(api)
    const megabyte = `${(1024 * 1024).toString(16)}\r\n${'x'.repeat(1024 * 1024)}\r\n`
    socket.write(`${head('Transfer-Encoding: chunked')}${megabyte}1\r\nx\r\n`)
    expect(await readAll(socket)).toMatch(/^HTTP\/1\.1 413 /)
  })

  it('does not reach the prototype of anything', async () => {
    await api.patch(path, { constructor: { prototype: { polluted: true } } })
    expect({}).not.toHaveProperty('polluted')
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
    fc.double().map(String),
    fc.constantFrom('', '%', '\0', '/api/v1/clusters/1/', 'NaN', '1e300', '1e309', '-0', '9'.repeat(15)),
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

describe('a text with the character NUL', () => {
  it('is refused in every text field of every body of REST', async () => {
    const { document } = await openApiContract(api.controlPlane)
    const related = { clusters: 1, nodes: Number(path.split('/').at(-2)) }
    const writes = Object.keys(document.paths).flatMap((route) =>
      (['post', 'patch'] as const)
        .filter((method) => document.paths[route]?.[method] !== undefined)
        .map((method) => ({ method, route, example: exampleBody(document, method, route, related) ?? {} })),
    )
    // Agents answer these, of which there are none here: a field that it does not know is not looked at.
    const asksAgents = new Set([
      '/api/v1/clusters/{id}/adoptable_users/',
      '/api/v1/gateway_shares/preview/',
      '/api/v1/gateway_shares/{id}/preview/',
    ])
    const answers: unknown[] = []
    for (const { method, route, example } of writes)
      for (const field of Object.keys({ ...example, plan_id: '', password: '' })) {
        const body = { ...example, [field]: 'abcdefgh\0ijklmnopqrstuvwxyz' }
        const target = route.replace('{id}', String(related.nodes))
        const { status } = await api.call(target, { method: method.toUpperCase(), body })
        if (status >= 500 && !(status === 503 && asksAgents.has(route))) answers.push([method, route, field, status])
      }
    expect(writes.length).toBeGreaterThan(8)
    expect(answers).toEqual([])
  })

  it.each(['gateway_deployments', 'user_db_deployments'])('is no plan_id of %s', async (resource) => {
    const body = { node: path, plan_id: 'p-\0' }
    const { status, body: answer } = await api.call(`/api/v1/${resource}/`, { method: 'POST', body })
    expect([status, answer]).toEqual([400, { [resource]: { plan_id: ['Leave out the character NUL.'] } }])
  })

  it.each(Object.entries<Declaration>(resources))(
    'is no value and no order of a list of %s',
    async (name, { rules }) => {
      // A key of its own: these are more requests than one key has in a second.
      const headers = { authorization: `apikey ${await api.addOperator()}` }
      const list = (input: object) =>
        api.call(`/trpc/${name}.list?input=${encodeURIComponent(JSON.stringify(input))}`, { headers })
      for (const field of Object.keys(rules.filters))
        expect([field, (await list({ filters: { [field]: 'a\0b' } })).status]).toEqual([field, 400])
      for (const input of [{ order_by: ['id\0'] }, { filters: { 'id\0': 1 } }])
        expect((await list(input)).status).toBe(400)
    },
  )
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
