import { createClient } from '@roost/api-types'
import type { ServerMessage } from '@roost/api-types/agent'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { startApi } from '../support/http/api.js'
import type { TestApi } from '../support/http/api.js'
import { addCluster, addNode } from '../support/agents/fleet-rows.js'
import { SimulatedAgent } from '../support/agents/simulated-agent.js'
import { newIdentity } from '../support/agents/simulated-identity.js'

/** On a machine with much to do. */
const waitOptions = { timeout: 45_000, interval: 50 }
const counts = {
  dirty_files: 2,
  dirty_bytes: 3_000_000_000,
  oldest_dirty_seconds: 12.5,
  cache_bytes: null,
  uploads_queued: 1,
  upload_errors: 0,
  out_of_space: false,
  leftover_files: 1,
}
const leftover = { name: 'a/b.part', size_bytes: 9, renamed_to: 'a/b' }
const result = {
  ...counts,
  oldest: [{ path: 'a/b é.txt', bytes: 7, changed: 1_795_201_200.5 }],
  leftovers: [{ ...leftover, since: 1_795_201_200.5 }],
}

let api: TestApi
let node: number
let share: { readonly id: number; readonly resource_uri: string }
let agent: SimulatedAgent
const identity = newIdentity()
beforeAll(async () => {
  api = await startApi()
  const { publicKey, uuid } = identity
  node = await addNode(api.database, await addCluster(api.database, 'lab'), {
    uuid,
    publicKey,
    machineId: `machine-${uuid}`,
    hostname: 'gateway',
    role: { create: { runsGateway: true } },
  })
  const body = { node: `/api/v1/nodes/${node}/`, name: 'docs', objectstore_container: 'docs', enabled: true }
  share = (await api.call('/api/v1/gateway_shares/', { method: 'POST', body })).body
})
afterAll(() => api.stop())
afterEach(disconnect)

async function disconnect(): Promise<void> {
  agent.stop()
  await agent.until(({ ended }) => ended !== undefined)
  const isOffline = async () =>
    expect((await uploads()).body).toEqual({
      error: 'The node is not connected. Check that its agent is running, and try again.',
    })
  await vi.waitFor(isOffline, waitOptions)
}

/** An agent that answers each request with this, once it may. */
async function connect(answer: object, protocol = 2, permitted?: Promise<void>): Promise<readonly ServerMessage[]> {
  const asked: ServerMessage[] = []
  agent = new SimulatedAgent({
    url: api.url,
    ca: api.ca,
    identity,
    hello: { protocol },
    metrics: ['dirty_files', 'dirty_bytes', 'out_of_space'].map((name) => ({
      name: `share.${share.id}.${name}`,
      unit: 'count',
      aggregation: 'sum' as const,
    })),
    onMessage(message) {
      if (message.type !== 'request') return
      asked.push(message)
      const { id } = message
      void Promise.resolve(permitted).then(() =>
        agent.send({ type: 'answer', id, result: null, error: null, ...answer }),
      )
    },
  })
  agent.dial()
  await agent.until(({ welcomed }) => welcomed > 0)
  return asked
}

const uploads = () => api.get(`${share.resource_uri}uploads/`)

describe('gateway_shares/<id>/uploads/', () => {
  it('answers what the gateway has not uploaded, over REST and tRPC', async () => {
    const asked = await connect({ result })
    const expected = {
      share: share.resource_uri,
      node: `/api/v1/nodes/${node}/`,
      ...counts,
      oldest: [{ path: 'a/b é.txt', bytes: 7, changed: '2026-11-20T19:00:00.500Z' }],
      leftovers: [{ ...leftover, since: '2026-11-20T19:00:00.500Z' }],
    }
    const { status, body } = await uploads()
    expect([status, body]).toEqual([200, expected])
    expect(asked).toMatchObject([{ kind: 'share_uploads', parameters: { share: share.id } }])
    const { rpc, close } = createClient({ url: api.url, apiKey: api.key, ca: api.ca })
    expect(await rpc.gatewayShares.uploads.query({ id: share.id })).toEqual(expected)
    await close()
  })

  it('is unavailable, with the reason, while the gateway cannot answer', async () => {
    await connect({ error: 'Share 1 is not mounted on this node.' })
    const refused = await uploads()
    expect([refused.status, refused.body]).toEqual([503, { error: 'Share 1 is not mounted on this node.' }])
    await disconnect()
    const offline = await uploads()
    expect([offline.status, offline.headers['retry-after']]).toEqual([503, '15'])
    await connect({ result }, 1)
    expect((await uploads()).body).toEqual({
      error: 'The agent of this node does not support this request. Upgrade the agent.',
    })
  })

  it('has no answer for an unknown share', async () => {
    await connect({ result })
    expect((await api.get('/api/v1/gateway_shares/2000000/uploads/')).status).toBe(404)
  })
})

describe('the removal of leftovers', () => {
  const remove = (body: unknown, headers = {}) =>
    api.call(`${share.resource_uri}uploads/`, { method: 'POST', body: body as object, headers })
  const audit = async () => {
    const found = await api.get(`/api/v1/audit_events/?action=remove_leftovers&resource_id=${share.id}&order_by=id`)
    return found.body.objects.map(({ changes }: { readonly changes: unknown }) => changes)
  }

  it('is asked of the gateway, answered and audited, over REST and tRPC', async () => {
    const removal = { removed: ['a/b.part'], kept: [{ name: 'c', reason: 'No rename left this object behind.' }] }
    const asked = await connect({ result: removal })
    const expected = { share: share.resource_uri, node: `/api/v1/nodes/${node}/`, ...removal }
    const { status, body } = await remove({ remove_leftovers: ['a/b.part', 'c'] })
    expect([status, body]).toEqual([200, expected])
    const { rpc, close } = createClient({ url: api.url, apiKey: api.key, ca: api.ca })
    expect(await rpc.gatewayShares.removeLeftovers.mutate({ id: share.id, remove_leftovers: true })).toEqual(expected)
    await close()
    expect(asked).toMatchObject([
      { kind: 'remove_leftovers', parameters: { share: share.id, names: ['a/b.part', 'c'] } },
      { kind: 'remove_leftovers', parameters: { share: share.id, names: null } },
    ])
    expect(await audit()).toEqual([{ leftovers: [['a/b.part'], []] }, { leftovers: [['a/b.part'], []] }])
  })

  it('is audited, too, when the gateway does not say what became of them', async () => {
    await connect({ error: 'Swift does not answer.' })
    const { status, body } = await remove({ remove_leftovers: true })
    expect([status, body]).toEqual([503, { error: 'Swift does not answer.' }])
    expect((await audit()).at(-1)).toEqual({ leftovers: [true, 'Swift does not answer.'] })
  })

  it('with an Idempotency-Key is asked of the gateway once, and again where the first request failed', async () => {
    const headers = { 'idempotency-key': 'leftovers' }
    const body = { remove_leftovers: ['a/b.part'] }
    await connect({ error: 'Swift does not answer.' })
    expect((await remove(body, headers)).status).toBe(503)
    await disconnect()
    const asked = await connect({ result: { removed: ['a/b.part'], kept: [] } })
    const first = await remove(body, headers)
    const again = await remove(body, headers)
    expect([first.status, again.status, again.body]).toEqual([200, 200, first.body])
    expect(asked).toHaveLength(1)
    expect((await remove({ remove_leftovers: true }, headers)).status).toBe(422)
  })

  it('with an Idempotency-Key is asked of the gateway once while the first request runs', async () => {
    let permit = () => {}
    const permitted = new Promise<void>((resolve) => (permit = resolve))
    const asked = await connect({ result: { removed: ['d.part'], kept: [] } }, 2, permitted)
    const { rpc, close } = createClient({ url: api.url, apiKey: api.key, ca: api.ca })
    const input = { id: share.id, remove_leftovers: ['d.part'], idempotency_key: 'at-once' }
    const [headers, body] = [{ 'idempotency-key': 'at-once' }, { remove_leftovers: ['d.part'] }]
    const [overRest, overRpc] = [remove(body, headers), rpc.gatewayShares.removeLeftovers.mutate(input)]
    await vi.waitFor(() => expect(asked).toHaveLength(2), waitOptions)
    expect((await remove(body, headers)).status).toBe(409)
    await expect(rpc.gatewayShares.removeLeftovers.mutate(input)).rejects.toMatchObject({ data: { code: 'CONFLICT' } })
    permit()
    const answers = [(await overRest).body, await overRpc]
    expect([(await remove(body, headers)).body, await rpc.gatewayShares.removeLeftovers.mutate(input)]).toEqual(answers)
    expect(asked).toHaveLength(2)
    await close()
  })

  it.each([{}, { remove_leftovers: false }, { remove_leftovers: [] }, { remove_leftovers: [''] }])(
    'needs true or names, which %j does not have',
    async (body) => {
      const asked = await connect({ result: {} })
      expect((await remove(body)).status).toBe(400)
      expect(asked).toEqual([])
    },
  )
})

describe('/metrics', () => {
  it('has the uploads of shares whose gateway reports them', async () => {
    await connect({ result })
    agent.sendFrame(Float64Array.of(2, 3e9, Number.NaN))
    const labels = `{cluster="lab",node="gateway",share="${share.id}",name="docs",protocol="nfs"}`
    await vi.waitFor(async () => {
      const lines = (await api.get('/metrics')).text.split('\n').filter((line) => line.startsWith('roost_share_'))
      expect(lines).toEqual([`roost_share_dirty_files${labels} 2`, `roost_share_dirty_bytes${labels} 3000000000`])
    }, waitOptions)
  })
})
