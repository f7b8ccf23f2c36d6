import { alertCodes } from '@roost/api-types/checks'
import { JobState } from '@roost/api-types/rest'
import { resources as declared } from '@roost/api-types/rpc'
import type { Declaration } from '@roost/api-types/rpc'
import { beforeAll, describe, expect, it } from 'vitest'
import { addAlert, addCluster, addDevice, addNode } from '../support/agents/fleet-rows.js'
import { exampleBody } from '../support/http/examples.js'
import type { Related } from '../support/http/examples.js'
import { openApiContract } from '../support/http/openapi-contract.js'
import type { OpenApiDocument } from '../support/http/openapi-contract.js'
import { resources } from '../support/http/route-table.js'
import { shareApi } from '../support/http/shared-api.js'

const server = shareApi()
const { get, post, patch, remove } = server
let document: OpenApiDocument
let reader = ''

beforeAll(async () => {
  document = (await openApiContract(server.api.controlPlane)).document
  reader = `apikey ${await server.api.addOperator({ role: 'read_only' })}`
})

const list = (resource: string) => `/api/v1/${resource}/`
const isJob = (resource: string) => resource.endsWith('_deployments')
const has = (method: string, path: string) => document.paths[path]?.[method] !== undefined
/** The name of a receiver, a limit or a view, and the code of a rule, is its own everywhere. */
const named = (resource: string) => {
  if (['alert_receivers', 'alert_metric_rules', 'views'].includes(resource)) return { name: `name-${(made += 1)}` }
  return resource === 'alert_rules' ? { code: alertCodes[(made += 1)] } : {}
}
let made = 0
const bodyOf = (resource: string, related: Related): Readonly<Record<string, unknown>> => ({
  ...exampleBody(document, 'post', list(resource), related),
  ...named(resource),
})
const changeOf = (resource: string) => exampleBody(document, 'patch', `${list(resource)}{id}/`, {}) ?? {}

/** A cluster with one node that can do everything, for one resource alone. */
async function newFleet(): Promise<Related> {
  const cluster = await addCluster(server.api.database)
  const roles = { runsGateway: true, runsProxy: true, runsObject: true, runsAccountContainer: true }
  return { clusters: cluster, nodes: await addNode(server.api.database, cluster, { role: { create: roles } }) }
}

/** A record of the resource: created from its example where it can be, else one that the fleet has. */
async function newRecord(resource: string): Promise<string> {
  const fleet = await newFleet()
  if (resource === 'devices') return newDevice(fleet)
  if (resource === 'alerts') return `${list('alerts')}${await addAlert(server.api.database, fleet.clusters ?? 0)}/`
  if (resource === 'sessions') return `${list('sessions')}${(await post('/session', undefined)).body.id}/`
  if (!has('post', list(resource))) return `${list(resource)}${fleet[resource]}/`
  const { status, headers } = await post(list(resource), bodyOf(resource, fleet))
  expect(status).toBe(201)
  return new URL(String(headers['location'])).pathname
}

/** A device that left all rings: no other one can be removed. */
async function newDevice({ clusters = 0, nodes = 0 }: Related): Promise<string> {
  const id = await addDevice(server.api.database, clusters, nodes, { status: 'retired', agentKey: null })
  return `${list('devices')}${id}/`
}

const stale = { 'if-match': '"of-another-time"' }
const idOf = (uri: string) => uri.split('/').at(-2)
async function eventsOf(resource: string, uri: string): Promise<readonly { action: string; operator: string }[]> {
  return (await get(`/api/v1/audit_events/?resource=${resource}&resource_id=${idOf(uri)}`)).body.objects
}

const inRest = Object.values<Declaration>(declared).filter(({ rest }) => rest === undefined)
const created = inRest.filter(({ create }) => create !== undefined).map(({ name }) => name)
const changed = inRest.filter(({ change }) => change !== undefined).map(({ name }) => name)
const removed = inRest.filter((resource) => resource.remove === true).map(({ name }) => name)

/** The writes of a resource that the document has, each with an empty body. */
function writesOf(resource: string, headers: Readonly<Record<string, string>>) {
  const [path, uri] = [list(resource), `${list(resource)}1/`]
  return [
    ...(has('post', path) ? [post(path, {}, headers)] : []),
    ...(has('patch', `${path}{id}/`) ? [patch(uri, {}, headers)] : []),
    ...(has('delete', `${path}{id}/`) ? [remove(uri, headers)] : []),
  ]
}

describe.each(created)('%s', (resource) => {
  it('is created once for an Idempotency-Key, with one event of the audit and without its secrets', async () => {
    const body = bodyOf(resource, await newFleet())
    const headers = { 'idempotency-key': `every-write-${resource}` }
    const answers = [await post(list(resource), body, headers), await post(list(resource), body, headers)]
    expect(answers.map(({ status }) => status)).toEqual([201, 201])
    expect(answers[1]?.body).toEqual(answers[0]?.body)
    const uri = new URL(String(answers[0]?.headers['location'])).pathname
    const events = await eventsOf(resource, uri)
    expect(events).toMatchObject([{ action: 'create', operator: 'admin' }])
    expect(JSON.stringify(events)).not.toContain(body['password'] ?? 'no secret was sent')
    expect((await get(uri)).status).toBe(200)
  })

  it('is not created for a relation that does not exist', async () => {
    const fleet = await newFleet()
    // Jobs are listed while they run: one of before may end meanwhile.
    const all = isJob(resource) ? `?state__in=${JobState.options.join()}` : ''
    const total = async () => (await get(`${list(resource)}${all}`)).body.meta.total_count
    const before = await total()
    const related = Object.keys(fleet).filter((name) => JSON.stringify(bodyOf(resource, fleet)).includes(list(name)))
    for (const name of related) {
      const answer = await post(list(resource), bodyOf(resource, { ...fleet, [name]: 999_999 }))
      expect([answer.status, answer.text]).toEqual([400, expect.stringContaining(`${list(name)}999999/`)])
    }
    expect(await total()).toBe(before)
  })
})

it.each(changed)('%s: is changed only by the ETag that it has, with an event of the audit', async (resource) => {
  const uri = await newRecord(resource)
  const before = (await get(uri)).body
  expect((await patch(uri, changeOf(resource), stale)).status).toBe(412)
  expect((await get(uri)).body).toEqual(before)
  const fresh = { 'if-match': String((await get(uri)).headers['etag']) }
  const { status, headers } = await patch(uri, changeOf(resource), fresh)
  expect([status, headers['etag']]).toEqual([202, (await get(uri)).headers['etag']])
  expect((await get(uri)).body).not.toEqual(before)
  expect((await eventsOf(resource, uri)).map(({ action }) => action)).toContain('change')
})

it.each(removed)('%s: is removed only by the ETag that it has, with an event of the audit', async (resource) => {
  const uri = await newRecord(resource)
  expect((await remove(uri, stale)).status).toBe(412)
  expect((await remove(uri, { 'if-match': String((await get(uri)).headers['etag']) })).status).toBe(204)
  expect((await get(uri)).status).toBe(404)
  const action = resource === 'sessions' ? 'log_out' : 'remove'
  expect((await eventsOf(resource, uri)).map((event) => event.action)).toContain(action)
})

it.each(resources)('%s: is not written by an operator who may only read', async (resource) => {
  const headers = { authorization: reader }
  for (const { status } of await Promise.all(writesOf(resource, headers))) expect(status).toBe(403)
  expect((await get(list(resource), headers)).status).toBe(200)
})

it.each(resources)('%s: has the writes that are declared and no others', (resource) => {
  const path = list(resource)
  const documented = [has('post', path), has('patch', `${path}{id}/`), has('delete', `${path}{id}/`)]
  expect(documented).toEqual([created, changed, removed].map((names) => names.includes(resource)))
})
