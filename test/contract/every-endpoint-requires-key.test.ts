import { Agent, request } from 'undici'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addCluster } from '../support/agents/fleet-rows.js'
import { shareApi } from '../support/http/shared-api.js'

const server = shareApi()
let cluster = 0
let lastAddress = 1
const agents: Agent[] = []
beforeAll(async () => {
  cluster = await addCluster(server.api.database)
})
afterAll(() => Promise.all(agents.map((agent) => agent.destroy())))

/** One endpoint of each kind of answer: REST, CSV, a call, a batch of calls, a stream, metrics, and public pages. */
const endpoints: readonly (readonly [string, () => string])[] = [
  ['a list', () => '/api/v1/clusters/'],
  ['CSV', () => `/api/v1/clusters/${cluster}/utilization/transfer/?start=2026-11-01&format=csv`],
  ['values of metrics', () => `/api/v1/clusters/${cluster}/metrics/poll/?metrics=*`],
  ['a call', () => '/trpc/clusters.list'],
  ['a batch of calls', () => '/trpc/clusters.list,nodes.list?batch=1'],
  ['a stream', () => '/trpc/nodes.states'],
  ['metrics for Prometheus', () => '/metrics'],
]
const open: typeof endpoints = [
  ['the health', () => '/healthz'],
  ['the documentation', () => '/docs/'],
  ['the description of the API', () => '/openapi.json'],
  ['the script of installation', () => '/install.sh'],
  ['what is not there', () => '/nowhere'],
]

/** Status and headers; the body is left alone, since a stream has no end. */
async function knock(path: string, headers: Readonly<Record<string, string>>, method: 'GET' | 'OPTIONS' = 'GET') {
  // An address of its own, since failed authentications are counted by address.
  const localAddress = `127.2.0.${(lastAddress += 1)}`
  const dispatcher = new Agent({ connect: { ca: server.api.ca }, localAddress })
  agents.push(dispatcher)
  const answer = await request(`${server.api.url}${path}`, { dispatcher, headers, method })
  answer.body.on('error', () => {})
  answer.body.destroy()
  return { status: answer.statusCode, headers: answer.headers }
}

const key = () => ({ authorization: `apikey ${server.api.key}` })
const withQuery = (path: string, query: string) => `${path}${path.includes('?') ? '&' : '?'}${query}`

describe.each(endpoints)('%s', (_name, path) => {
  it('is for those with a key in the header', async () => {
    expect((await knock(path(), key())).status).toBe(200)
    expect((await knock(path(), {})).status).toBe(401)
  })

  it('is refused to a key in the address, also beside a good one in the header', async () => {
    const [user, secret] = server.api.key.split(':')
    const address = withQuery(path(), `username=${user}&api_key=${secret}`)
    expect((await knock(address, {})).status).toBe(401)
    expect((await knock(address, key())).status).toBe(401)
  })
})

describe.each([...endpoints, ...open])('%s', (_name, path) => {
  it('is for no page of another origin', async () => {
    const origin = { origin: 'https://evil.example' }
    const preflight = {
      ...origin,
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'authorization',
    }
    const answers = [
      await knock(path(), { ...origin, ...key() }),
      await knock(path(), origin),
      await knock(path(), preflight, 'OPTIONS'),
    ]
    const allowing = answers.flatMap(({ headers }) =>
      Object.keys(headers).filter((name) => name.startsWith('access-control')),
    )
    // The answer to OPTIONS may be 200 with Allow: without these headers a browser sends nothing more.
    expect(allowing).toEqual([])
  })
})

it('a key over plain HTTP gets no answer to what it asked', async () => {
  const plain = `${server.api.url.replace('https:', 'http:')}/api/v1/clusters/`
  const dispatcher = new Agent()
  agents.push(dispatcher)
  const status = await request(plain, { dispatcher, headers: key() }).then(
    ({ statusCode }) => statusCode,
    () => 0,
  )
  expect([0, 400]).toContain(status)
})
