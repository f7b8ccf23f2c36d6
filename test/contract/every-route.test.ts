import { setTimeout as sleep } from 'node:timers/promises'
import { encodeMetricFrame } from '@roost/api-types/agent'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startApi } from '../support/http/api.js'
import type { Answer, Call, TestApi } from '../support/http/api.js'
import { addDevice, addNode, addPolicy } from '../support/agents/fleet-rows.js'
import { openApiContract } from '../support/http/openapi-contract.js'
import type { OpenApiContract } from '../support/http/openapi-contract.js'
import { forms, newTarget, queryOf, resources, statusOf, templateOf } from '../support/http/route-table.js'
import type { Fixture, Form, Ids } from '../support/http/route-table.js'
import { storageOf, transferOf, usageMessage } from '../support/database/usage-rows.js'

let api: TestApi
let contract: OpenApiContract
let fixture: Fixture

beforeAll(async () => {
  api = await startApi({ ROOST_USAGE_RETENTION_DAYS: '36500' })
  contract = await openApiContract(api.controlPlane)
  const { database, context } = api
  const role = { create: { runsGateway: true, runsProxy: true } }
  const node = await addNode(database, 1, { role, inAccountRing: true })
  const device = await addDevice(database, 1, node)
  await addPolicy(database, 1, 0)
  const metric = { name: 'load.shortterm', unit: '', aggregation: 'mean' } as const
  context.metrics.intake.connected(node)
  await context.metrics.intake.catalogue(node, { id: 1, metrics: [metric] })
  const frame = { catalogue: 1, sequence: 1n, time: Date.now() / 1000, values: Float64Array.of(0.5) }
  context.metrics.intake.frame(node, encodeMetricFrame(frame))
  await context.utilization.intake.accept(
    node,
    usageMessage('2026-06-01T10:00:00Z', {
      storage: [storageOf('AUTH_bob', 100)],
      transfer: [transferOf('AUTH_bob', 1, 2)],
      log_read: 1,
    }),
  )
  const job = async (resource: string) => String((await create(resource, await newTarget(api)))['id'])
  fixture = {
    database,
    node,
    device,
    create,
    gatewayJob: await job('gateway_deployments'),
    userJob: await job('user_db_deployments'),
  }
})
afterAll(() => api.stop())

/** Waits where the rate of the key is exceeded, as a client should. */
async function call(path: string, options: Call = {}): Promise<Answer> {
  for (;;) {
    const answer = await api.call(path, options)
    if (answer.status !== 429) return answer
    await sleep(Number(answer.headers['retry-after']) * 1000)
  }
}

async function create(resource: string, body: object): Promise<Ids> {
  const answer = await call(`/api/v1/${resource}/`, { method: 'POST', body })
  expect(answer.status).toBe(201)
  return { id: answer.body.id }
}

let strangers = 0
/** Ten failures a minute are heard from one address: everyone comes from another. */
function withoutKey(path: string, options: Call): Promise<Answer> {
  const number = (strangers += 1)
  const from = `127.0.${1 + Math.floor(number / 200)}.${1 + (number % 200)}`
  return api.call(path, { ...options, from, headers: { authorization: null } })
}

const filled = (path: string, ids: Ids) =>
  path.replaceAll(/<(\w+)>/g, (_match, name: string) => encodeURIComponent(String(ids[name])))

it('the index names the resources that the table stands for', async () => {
  expect(Object.keys((await api.get('/api/v1/')).body)).toEqual(resources)
})

const operationOf = ({ route }: Form) => contract.document.paths[templateOf(route)]?.[route.method.toLowerCase()]
const closed = forms.filter(({ route }) => route.open !== true)
/** The same id in every place of the path. */
const everywhere = (id: string | number): Ids => ({
  id,
  cluster_id: id,
  node_id: id,
  device_id: id,
  job_id: id,
  policy_idx: 0,
  account: 'AUTH_bob',
})

it.each(closed)('$name is documented with 400 and 404', (form) => {
  const { responses } = operationOf(form) ?? {}
  expect(Object.keys(responses ?? {})).toEqual(expect.arrayContaining([String(statusOf(form.route)), '400', '404']))
})

it.each(forms)('$name answers as documented', async (form) => {
  const { route, path } = form
  const { method } = route
  const ids = (await route.ids?.(fixture)) ?? {}
  const body = await route.body?.(fixture)
  const url = `${filled(path, ids)}${queryOf(route)}`
  expect(contract.pathOf(method, url)).toBe(templateOf(route))
  // Every answer is held against the document by `call` itself.
  const answer = await call(url, { method, ...(body === undefined ? {} : { body }) })
  expect([answer.status, answer.text]).toEqual([statusOf(route), expect.any(String)])
  const content = operationOf(form)?.responses[statusOf(route)]?.content ?? {}
  expect(String(answer.headers['content-type']).split(';', 1)).toEqual([Object.keys(content)[0] ?? 'undefined'])
  expect(answer.text === '').toBe(Object.keys(content).length === 0)
})

it.each(forms.filter(({ route }) => route.open === true))('$name needs no key', async ({ route, path }) => {
  const answer = await withoutKey(`${path}${queryOf(route)}`, { method: route.method })
  expect(answer.status).toBe(statusOf(route))
})

it.each(closed)('$name is 401 without a key, whether what it names is there or not', async ({ route, path }) => {
  for (const id of [1, 999_999]) {
    const { method, body } = route
    const answer = await withoutKey(filled(path, everywhere(id)), {
      method,
      ...(body === undefined ? {} : { body: {} }),
    })
    expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, 'ApiKey'])
  }
})

it.each(closed)('$name is 405 with another method, before a key is asked for', async ({ route, path }) => {
  const { status, headers } = await withoutKey(filled(path, everywhere(1)), { method: 'PUT' })
  expect([status, String(headers['allow']).split(', ')]).toEqual([405, expect.arrayContaining([route.method])])
})

it.each(closed.filter(({ path }) => /<(?:\w+_)?id>/.test(path)))(
  '$name is 404 for an id that cannot exist',
  async (form) => {
    const { method, body } = form.route
    for (const id of ['999999', '2147483648', '99999999999', '-1', 'x', '0']) {
      const url = `${filled(form.path, everywhere(id))}${queryOf(form.route)}`
      const answer = await call(url, { method, ...(body === undefined ? {} : { body: {} }) })
      expect([url, answer.status, answer.body]).toEqual([url, 404, { error: expect.any(String) }])
    }
  },
)

const writes = closed.filter(({ route }) => route.method !== 'GET')
it.each(writes)(
  '$name is 403 for an operator who may only read, before anything is looked up',
  async ({ route, path }) => {
    const authorization = `apikey ${await api.addOperator({ role: 'read_only' })}`
    const { method } = route
    const answer = await api.call(filled(path, everywhere(999_999)), { method, body: {}, headers: { authorization } })
    expect([answer.status, answer.body]).toEqual([403, { error: expect.any(String) }])
  },
)

/** Everything that operators write, without what moves by itself. */
async function written(): Promise<unknown> {
  const tables = ['users', 'gateway_shares', 'audit_events', 'idempotency_keys', 'node_roles', 'devices', 'clusters']
  const of = (table: string) => `(select json_agg(t order by t::text) from ${table} t)`
  const moving = ['(select count(*) from jobs)', '(select json_agg(other_ips order by id) from nodes)']
  const sql = `select ${[...tables.map(of), ...moving].map((one, i) => `${one}::text as c${i}`).join(', ')}`
  return api.database.prisma.$queryRawUnsafe(sql)
}

it.each(writes)('$name with ?validate=1 answers as documented, and changes nothing', async (form) => {
  const { route, path } = form
  const ids = (await route.ids?.(fixture)) ?? {}
  const body = await route.body?.(fixture)
  const before = await written()
  const url = `${filled(path, ids)}?validate=1`
  const headers = { 'idempotency-key': `checked ${form.name}`.replaceAll(' ', '-') }
  const { method } = route
  const answer = await call(url, { method, headers, ...(body === undefined ? {} : { body }) })
  expect([answer.status, answer.headers['location']]).toEqual([statusOf(route), undefined])
  expect(await written()).toEqual(before)
  const done = await call(filled(path, ids), { method, headers, ...(body === undefined ? {} : { body }) })
  expect(done.status).toBe(statusOf(route))
  expect(Object.keys(Object(answer.body))).toEqual(Object.keys(Object(done.body)))
  expect(await written()).not.toEqual(before)
})

it.each(writes)('$name has the parameter validate in its documentation', (form) => {
  const { parameters = [] } = operationOf(form) ?? {}
  expect(parameters).toContainEqual(expect.objectContaining({ name: 'validate', in: 'query', required: false }))
})

it.each(writes.filter(({ route }) => route.body !== undefined))(
  '$name is 400 for a body that is no object',
  async (form) => {
    const ids = (await form.route.ids?.(fixture)) ?? {}
    for (const body of ['[]', '{', '"x"', 'null']) {
      const answer = await call(filled(form.path, ids), { method: form.route.method, body })
      expect([body, answer.status, answer.body]).toEqual([body, 400, { error: expect.any(String) }])
    }
  },
)
