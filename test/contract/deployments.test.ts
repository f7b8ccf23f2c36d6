import type { Job } from '@roost/api-types/rest'
import { beforeEach, describe, expect, it } from 'vitest'
import { addCluster, addNode } from '../support/agents/fleet-rows.js'
import { shareApi, statuses } from '../support/http/shared-api.js'

const server = shareApi()
const { get, post } = server

describe.each([
  ['gateway_deployments', { runsGateway: true }, 'gateway'],
  ['user_db_deployments', { runsProxy: true }, 'proxy'],
] as const)('%s', (resource, role, kindOfNode) => {
  const list = `/api/v1/${resource}/`
  let clusterId = 0
  let node = ''
  let cluster = ''
  beforeEach(async () => {
    clusterId = await addCluster(server.api.database)
    cluster = `/api/v1/clusters/${clusterId}/`
    node = `/api/v1/nodes/${await addNode(server.api.database, clusterId, { role: { create: role } })}/`
  })
  const create = async (body: object): Promise<Job> => (await post(list, body)).body

  it('answers 201 with a queued job and its place', async () => {
    const { status, headers, body } = await post(list, { node })
    expect(status).toBe(201)
    expect(headers['location']).toBe(`${server.api.url}${body.resource_uri}`)
    expect(body).toEqual({
      id: expect.stringMatching(/^\d+$/),
      resource_uri: `${list}${body.id}/`,
      node,
      cluster: null,
      state: 'QUEUED',
      created: expect.any(String),
      started: null,
      finished: null,
      progress: 0,
      message: '',
      targets: [{ node, state: 'waiting', message: '', generation: null }],
      left_out: [],
      dry_run: false,
      confirm_within_s: null,
      confirmed: null,
      plan: null,
    })
  })

  it('takes a cluster instead of a node', async () => {
    expect(await create({ cluster })).toMatchObject({ node: null, cluster, targets: [{ node }] })
  })

  it('takes an id or an absolute URL of this server, and ignores fields that it does not know', async () => {
    const made = await post(list, { node: `${server.api.url}${node}`, colour: 'red', state: 'COMPLETED_SUCCESS' })
    expect(made).toMatchObject({ status: 201, body: { node, state: 'QUEUED' } })
    expect(made.body).not.toHaveProperty('colour')
    expect(await create({ cluster: await addCluster(server.api.database) })).toMatchObject({ node: null })
  })

  it('refuses a node and a cluster that there are not, in the words of the predecessor', async () => {
    for (const [field, plural] of [
      ['node', 'nodes'],
      ['cluster', 'clusters'],
    ] as const) {
      const uri = `/api/v1/${plural}/999999/`
      const answer = await post(list, { [field]: uri })
      expect(answer.body).toEqual({ error: `Could not find the provided ${plural} object via resource URI '${uri}'.` })
    }
  })

  it('wants one target, which is there and of that kind', async () => {
    const other = `/api/v1/nodes/${await addNode(server.api.database, clusterId)}/`
    for (const body of [
      {},
      { node, cluster },
      { node: other },
      { node: '/api/v1/nodes/999999/' },
      { cluster: 999_999 },
    ])
      expect((await post(list, body)).status).toBe(400)
    expect((await post(list, { node: other })).text).toContain(`is not a ${kindOfNode}`)
  })

  it('takes a generation for a node alone, and one that can be', async () => {
    expect((await post(list, { cluster, generation: 1 })).status).toBe(400)
    for (const generation of [0, -1, 1.5, 2 ** 31, 1e300, '1'])
      expect((await post(list, { node, generation })).body[resource].generation).toContainEqual(expect.any(String))
  })

  it('is 400 for an unknown plan', async () => {
    expect((await post(list, { node, plan_id: 'p-unknown' })).body[resource].plan_id).toEqual([expect.any(String)])
  })

  it('is 409 while one for the same target is unfinished, also when both come at once', async () => {
    const answers = await Promise.all([post(list, { node }), post(list, { node }), post(list, { cluster })])
    expect(statuses(answers)).toEqual([201, 409, 409])
  })

  it('lists what is unfinished, and what has ended to those who ask by state', async () => {
    const idsIn = async (query: string) =>
      (await get(`${list}?limit=1000&${query}`)).body.objects.map(({ id }: Job) => id)
    const empty = `/api/v1/clusters/${await addCluster(server.api.database)}/`
    const ended = await create({ cluster: empty })
    await expect.poll(async () => (await get(ended.resource_uri)).body.state).toBe('COMPLETED_FAILED')
    const running = await create({ node })
    // The job of a proxy without a connection may have failed already.
    const unfinished = kindOfNode === 'gateway' ? await idsIn('') : [running.id]
    expect(unfinished).toContain(running.id)
    expect(await idsIn('')).not.toContain(ended.id)
    expect(await idsIn('state=COMPLETED_FAILED')).toContain(ended.id)
    expect((await get(ended.resource_uri)).body.message).toBe(
      `The cluster has no nodes that run a ${kindOfNode} and are approved for it.`,
    )
  })

  it('runs a POST with an Idempotency-Key once', async () => {
    const headers = { 'idempotency-key': `${resource}-${clusterId}` }
    const first = await post(list, { node }, headers)
    const second = await post(list, { node }, headers)
    expect([second.status, second.body.id]).toEqual([201, first.body.id])
  })

  it('is not for operators who may only read', async () => {
    const authorization = `apikey ${await server.api.addOperator({ role: 'read_only' })}`
    expect((await post(list, { node }, { authorization })).status).toBe(403)
  })

  it('is 404 for what is not there', async () => {
    expect((await get(`${list}999999/`)).status).toBe(404)
    expect((await post(`${list}999999/cancel/`, {})).status).toBe(404)
  })
})
