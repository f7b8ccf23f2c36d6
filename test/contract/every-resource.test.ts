import { resources as declared } from '@roost/api-types/rpc'
import type { Declaration } from '@roost/api-types/rpc'
import { beforeAll, expect, it, vi } from 'vitest'
import { addAlert, addAlertDelivery, addCluster, addDevice, addNode, addPolicy } from '../support/agents/fleet-rows.js'
import { waitTimeoutMs } from '../support/clock/wait-until.js'
import { exampleBody } from '../support/http/examples.js'
import { openApiContract } from '../support/http/openapi-contract.js'
import { resources } from '../support/http/route-table.js'
import { shareApi } from '../support/http/shared-api.js'

const server = shareApi()
const { get, post } = server

/** The relations by which records of a resource are found, such as `node`. */
const relationsOf = (resource: string): readonly string[] => {
  const found = Object.values<Declaration>(declared).find(({ name }) => name === resource)
  return Object.entries(found?.rules.filters ?? {}).flatMap(([name, kind]) => (typeof kind === 'object' ? [name] : []))
}
/** Both kinds of deployment are in one table. */
const tableOf = (resource: string): string => (resource.endsWith('_deployments') ? 'jobs' : resource)

type Cell = string | number | boolean
let cluster = 0
let node = 0
/** A record of each resource as its detail shows it, all of one node of one cluster. */
const records = new Map<string, Readonly<Record<string, unknown>>>()
const recordOf = (resource: string) => records.get(resource) ?? {}
const schemaOf = async (resource: string) => (await get(`/api/v1/${resource}/schema/`)).body
/** Lists of deployments show those that have ended only where a state is asked for. */
const anyState = (resource: string, query: string) =>
  tableOf(resource) === 'jobs' && !/(?:^|&)state/.test(query) ? '&state__in=IN_PROGRESS,COMPLETED_FAILED' : ''
const idsIn = async (resource: string, query: string) => {
  const { status, body } = await get(`/api/v1/${resource}/?${query}${anyState(resource, query)}`)
  return status === 200 ? body.objects.map(({ id }: { id: Cell }) => id) : body.error
}

/** One deployment waits for the node from now on, and the other has ended, because the proxy is not connected: nothing changes any more. */
async function allBegun(): Promise<void> {
  const states = { gateway_deployments: 'IN_PROGRESS', user_db_deployments: 'COMPLETED_FAILED' }
  for (const [resource, state] of Object.entries(states))
    expect((await get(`/api/v1/${resource}/?state=${state}`)).body.objects).toMatchObject([
      { targets: [{ generation: 1 }] },
    ])
  expect((await get('/api/v1/agent_upgrades/')).body.objects).toMatchObject([{ state: 'COMPLETED_FAILED' }])
}

beforeAll(async () => {
  const { api } = server
  cluster = await addCluster(api.database, 'east, and west')
  const roles = { runsGateway: true, runsProxy: true }
  node = await addNode(api.database, cluster, { cpuCores: 8, memoryBytes: 8_000_000_000n, role: { create: roles } })
  const device = await addDevice(api.database, cluster, node)
  const { hostname } = await api.database.prisma.node.findUniqueOrThrow({ where: { id: node } })
  const alert = await addAlert(api.database, cluster, { nodeId: node, deviceId: device, hostname })
  const policyId = await addPolicy(api.database, cluster, 0)
  await api.database.prisma.devicePolicy.create({ data: { deviceId: device, policyId } })
  const { document } = await openApiContract(api.controlPlane)
  const related = { clusters: cluster, nodes: node }
  const made: Readonly<Record<string, string>> = {
    clusters: `/api/v1/clusters/${cluster}/`,
    nodes: `/api/v1/nodes/${node}/`,
    node_roles: (await get(`/api/v1/nodes/${node}/`)).body.node_role.resource_uri,
    devices: `/api/v1/devices/${device}/`,
    alerts: `/api/v1/alerts/${alert}/`,
    alert_deliveries: `/api/v1/alert_deliveries/${await addAlertDelivery(api.database, cluster)}/`,
    storage_policies: `/api/v1/storage_policies/${policyId}/`,
    sessions: `/api/v1/sessions/${(await post('/session', undefined)).body.id}/`,
  }
  const uriOf = { cluster: `/api/v1/clusters/${cluster}/`, node: `/api/v1/nodes/${node}/` }
  /** Of records that may be of every cluster. */
  const located: Readonly<Record<string, object>> = {
    alert_receivers: { cluster: uriOf.cluster },
    alert_metric_rules: { cluster: uriOf.cluster },
    alert_rules: { cluster: uriOf.cluster },
    alert_silences: { matchers: uriOf },
  }
  /** Created from the example of the documentation, where operators create it. */
  const create = async (resource: string) => {
    const body = exampleBody(document, 'post', `/api/v1/${resource}/`, related)
    return body === undefined
      ? undefined
      : (await post(`/api/v1/${resource}/`, { ...body, ...located[resource] })).body.resource_uri
  }
  const uris = new Map<string, unknown>()
  for (const resource of resources) uris.set(resource, made[resource] ?? (await create(resource)))
  uris.set('audit_events', (await get('/api/v1/audit_events/?limit=1')).body.objects[0].resource_uri)
  await vi.waitFor(() => allBegun(), waitTimeoutMs)
  for (const resource of resources) records.set(resource, (await get(String(uris.get(resource)))).body)
})

it.each(resources)('%s: schema/ has the shape of the predecessor, and names what the record has', async (resource) => {
  const schema = await schemaOf(resource)
  expect(schema).toEqual({
    allowed_list_http_methods: expect.arrayContaining(['get']),
    allowed_detail_http_methods: expect.arrayContaining(['get']),
    default_format: 'application/json',
    default_limit: 20,
    fields: expect.any(Object),
    filtering: expect.any(Object),
    ordering: expect.arrayContaining(['id']),
  })
  expect(Object.keys(schema.fields)).toEqual(expect.arrayContaining(Object.keys(recordOf(resource))))
  const aspects = ['type', 'nullable', 'blank', 'readonly', 'unique', 'default', 'help_text']
  for (const field of Object.values<object>(schema.fields))
    expect(Object.keys(field)).toEqual(expect.arrayContaining(aspects))
})

it.each(resources)('%s: a detail carries an ETag and Cache-Control, and its own address', async (resource) => {
  const { id, resource_uri: uri } = recordOf(resource)
  expect(uri).toBe(`/api/v1/${resource}/${String(id)}/`)
  const { headers, body } = await get(`${String(uri)}?format=json`, { accept: 'text/html' })
  expect(body).toMatchObject({ id, resource_uri: uri })
  expect(headers).toMatchObject({ etag: expect.stringMatching(/^"[!#-~]+"$/), 'cache-control': 'no-cache' })
})

it.each(resources)('%s: a detail that still has the ETag of If-None-Match is 304, without a body', async (resource) => {
  const { resource_uri: uri } = recordOf(resource)
  const { headers } = await get(String(uri))
  const etag = String(headers['etag'])
  for (const seen of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
    const answer = await get(String(uri), { 'if-none-match': seen })
    expect([seen, answer.status, answer.text, answer.headers['etag']]).toEqual([seen, 304, '', etag])
  }
  expect((await get(String(uri), { 'if-none-match': '"other"' })).status).toBe(200)
})

it.each(resources)('%s: set/ answers the records asked for and names what is missing', async (resource) => {
  const { id } = recordOf(resource)
  const { body } = await get(`/api/v1/${resource}/set/999999;${String(id)}/`)
  expect(body).toEqual({ objects: [recordOf(resource)], not_found: ['999999'] })
})

it.each(resources)('%s: every filter that schema/ names finds the record by its value', async (resource) => {
  const record = recordOf(resource)
  const { filtering } = await schemaOf(resource)
  const plain = Object.keys(filtering).filter((name) => ['string', 'number', 'boolean'].includes(typeof record[name]))
  expect(filtering.id).toEqual(['exact', 'in', 'not', 'gt'])
  for (const name of plain.filter((one) => filtering[one].includes('exact')))
    for (const lookup of [name, `${name}__exact`, ...(String(record[name]).includes(',') ? [] : [`${name}__in`])]) {
      const query = `id=${String(record['id'])}&${lookup}=${encodeURIComponent(String(record[name]))}`
      expect([lookup, await idsIn(resource, query)]).toEqual([lookup, [record['id']]])
    }
})

it.each(resources)('%s: the negation of a filter lists exactly what the filter leaves out', async (resource) => {
  const { filtering } = await schemaOf(resource)
  const all = await idsIn(resource, 'limit=0')
  const plain = Object.entries(recordOf(resource)).filter(
    ([name, value]) => filtering[name]?.includes('not') && (typeof value !== 'object' || value === null),
  )
  for (const [name, value] of plain.filter(([, one]) => !String(one).includes(','))) {
    // Of a field that is null, every value excludes nothing.
    const asked = encodeURIComponent((value as Cell | null) ?? 999_999)
    const found = await idsIn(resource, `${name}=${asked}&limit=0`)
    const others = await idsIn(resource, `${name}__not=${asked}&limit=0`)
    expect([name, new Set([...found, ...others])]).toEqual([name, new Set(all)])
    expect([name, found.length]).not.toEqual([name, value === null ? -1 : 0])
    expect(await idsIn(resource, `${name}__not=${asked}&${name}=${asked}`)).toEqual([])
  }
})

it.each(resources)('%s: id__gt lists the records with greater ids', async (resource) => {
  const id = Number(recordOf(resource)['id'])
  const rows = await idsIn(resource, `id__gt=${id - 1}&limit=0`)
  expect(rows.map(Number)[0]).toBe(id)
  expect((await idsIn(resource, `id__gt=${id}&limit=0`)).map(Number)).toEqual(rows.map(Number).slice(1))
  expect(await idsIn(resource, 'id__gt=99999999999')).toEqual([])
  expect((await idsIn(resource, 'id__gt=-99999999999')).length).toBeGreaterThan(0)
  expect(await idsIn(resource, 'id__gt=x')).toBe('Invalid resource lookup data provided (mismatched type).')
})

it.each(resources)('%s: a field of the record that schema/ does not name as a filter is 400', async (resource) => {
  const { filtering } = await schemaOf(resource)
  const closed = Object.keys(recordOf(resource)).filter(
    (name) => !Object.keys(filtering).some((filter) => filter === name || filter.startsWith(`${name}__`)),
  )
  expect(closed).toContain('resource_uri')
  for (const name of closed)
    expect(await idsIn(resource, `${name}=1`)).toBe(`The '${name}' field does not allow filtering.`)
})

it.each(resources)('%s: is ordered by every field that schema/ names, and by no other', async (resource) => {
  const { ordering, fields } = await schemaOf(resource)
  const only = `id=${String(recordOf(resource)['id'])}`
  for (const name of ordering)
    for (const by of [name, `-${name}`])
      expect([by, await idsIn(resource, `${only}&order_by=${by}`)]).toEqual([by, [recordOf(resource)['id']]])
  for (const name of Object.keys(fields).filter((field) => !ordering.includes(field)))
    expect(await idsIn(resource, `order_by=${name}`)).toBe(`No matching '${name}' field for ordering on.`)
})

it.each(resources)('%s: cluster and node are found through every form of the relation', async (resource) => {
  const { filtering } = await schemaOf(resource)
  const { id } = recordOf(resource)
  const { uuid } = recordOf('clusters')
  const { url } = server.api
  const hostname = String(recordOf('nodes')['hostname'])
  const through = {
    cluster: [
      `cluster=${cluster}`,
      `cluster=/api/v1/clusters/${cluster}/`,
      `cluster=${url}/api/v1/clusters/${cluster}/`,
      `cluster__in=${cluster},999999`,
      `cluster__id=${cluster}`,
      `cluster__name=${encodeURIComponent('east, and west')}`,
      `cluster__uuid=${String(uuid)}`,
    ],
    node: [`node=${node}`, `node=/api/v1/nodes/${node}/`, `node__id=${node}`, `node__hostname=${hostname}`],
  }
  const related = Object.entries(through).filter(([name]) => Object.hasOwn(filtering, name))
  for (const query of related.flatMap(([, queries]) => queries))
    expect([query, await idsIn(resource, `id=${String(id)}&${query}`)]).toEqual([query, [id]])
  for (const [name] of related) expect(await idsIn(resource, `${name}=999999`)).toEqual([])
})

it.each(resources.filter((resource) => relationsOf(resource).length > 0))(
  '%s: an index finds the records of a cluster or a node (@@index in prisma/schema)',
  async (resource) => {
    const columns = relationsOf(resource).map((relation) => `${relation}_id`)
    const found = await server.api.database.prisma.$queryRaw<readonly { readonly indexed: boolean }[]>`
      select attname, exists (select from pg_index where indrelid = attrelid and indkey[0] = attnum) as indexed
      from pg_attribute where attrelid = ${tableOf(resource)}::regclass and attname = any(${columns})`
    expect(found).not.toEqual([])
    expect(found.filter(({ indexed }) => !indexed)).toEqual([])
  },
)
