import type { EventBatch } from '@roost/api-types/rest'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { addAlert, addCluster, addDevice, addNode } from '../support/agents/fleet-rows.js'
import { waitTimeoutMs } from '../support/clock/wait-until.js'
import { shareApi, shareClient } from '../support/http/shared-api.js'

const server = shareApi()
const client = shareClient(server)
let cluster = 0
let node = 0
beforeAll(async () => {
  const { database } = server.api
  cluster = await addCluster(database)
  node = await addNode(database, cluster, { role: { create: { runsGateway: true, runsProxy: true } } })
})

type Input = Parameters<(typeof client)['rpc']['events']['watch']['subscribe']>[0]

/** A subscription, and every batch that it has received. */
async function follow(input: Input) {
  const batches: EventBatch[] = []
  const subscription = client.rpc.events.watch.subscribe(input, { onData: ({ data }) => void batches.push(data) })
  onTestFinished(() => subscription.unsubscribe())
  await expect.poll(() => batches.length, { timeout: waitTimeoutMs }).toBeGreaterThan(0)
  return { batches, events: () => batches.flatMap(({ events }) => events) }
}
const soon = { timeout: waitTimeoutMs }

describe('events.watch', () => {
  it('sends a batch at once, then the ids and short fields of what has changed', async () => {
    const { batches, events } = await follow({ topics: ['nodes'] })
    expect(batches).toEqual([{ last: expect.any(String), events: [], list_again: [], metrics: [] }])
    const { prisma } = server.api.database
    await prisma.node.update({ where: { id: node }, data: { state: 'offline' } })
    const changed = {
      topic: 'nodes',
      resource: 'nodes',
      id: node,
      cluster,
      change: 'changed',
      fields: { state: 'offline' },
    }
    await expect.poll(events, soon).toEqual([changed])
    await prisma.node.update({ where: { id: node }, data: { lastSeen: new Date() } })
    const other = await addNode(server.api.database, cluster, { hostname: 'newest' })
    await expect.poll(events, soon).toHaveLength(2)
    expect(events()[1]).toMatchObject({ id: other, change: 'created', fields: { hostname: 'newest' } })
  })

  it('has a topic for each kind of record', async () => {
    const { events } = await follow({
      topics: ['alerts', 'devices', 'shares', 'users', 'jobs', 'drift', 'audit', 'sessions'],
      cluster,
    })
    const { database } = server.api
    const { rpc } = client
    await addAlert(database, cluster)
    await addDevice(database, cluster, node)
    const drift = [{ path: '/etc/x' }]
    await database.prisma.nodeDeployment.create({ data: { nodeId: node, kind: 'user_db', drift } })
    await rpc.gatewayShares.create.mutate({ node, name: 'docs', objectstore_container: 'c' })
    await rpc.users.create.mutate({ cluster, user: 'bob', password: 'correct-horse-battery-staple' })
    await rpc.gatewayDeployments.create.mutate({ cluster: `/api/v1/clusters/${cluster}/` as never })
    await server.post('/session', undefined)
    const topics = () => [...new Set(events().map(({ topic, resource }) => `${topic} ${resource}`))].toSorted()
    await expect
      .poll(topics, soon)
      .toEqual([
        'alerts alerts',
        'audit audit_events',
        'devices devices',
        'drift nodes',
        'jobs gateway_deployments',
        'sessions sessions',
        'shares gateway_shares',
        'users users',
      ])
    expect(JSON.stringify(events())).not.toContain('correct-horse')
  })

  it('sends that an alert has become silent, and that it is silent no longer', async () => {
    const { database } = server.api
    const { events } = await follow({ topics: ['alerts'], cluster })
    const id = await addAlert(database, cluster)
    await expect.poll(events, soon).toContainEqual(expect.objectContaining({ id, change: 'created' }))
    // Its short fields stay the same.
    const silenced = () => events().filter((one) => one.id === id && one.change === 'changed' && !one.fields)
    await database.prisma.alert.update({ where: { id }, data: { silencedUntil: new Date(Date.now() + 60_000) } })
    await expect.poll(silenced, soon).toHaveLength(1)
    await database.prisma.alert.update({ where: { id }, data: { silencedUntil: null } })
    await expect.poll(silenced, soon).toHaveLength(2)
  })

  it('sends only the topics and the cluster that were asked for', async () => {
    const { database } = server.api
    const elsewhere = await addCluster(database)
    const { events } = await follow({ topics: ['nodes'], cluster: elsewhere })
    await database.prisma.node.update({ where: { id: node }, data: { state: 'stale' } })
    await addAlert(database, elsewhere)
    const own = await addNode(database, elsewhere)
    await expect.poll(() => events().map(({ id }) => id), soon).toContain(own)
    expect(events().every(({ topic, id }) => topic === 'nodes' && id === own)).toBe(true)
  })

  it('names a topic to list again when more of it has changed than a list is long', async () => {
    const { batches } = await follow({ topics: ['nodes', 'devices'], cluster })
    const one = (i: number) => ({ clusterId: cluster, nodeId: node, name: `many-${i}`, status: 'ok' })
    await server.api.database.prisma.device.createMany({ data: Array.from({ length: 150 }, (_, i) => one(i)) })
    await expect.poll(() => batches.flatMap(({ list_again: again }) => again), soon).toEqual(['devices'])
  })

  it('goes on after the last batch that was seen, and lists again after one of another process', async () => {
    const { batches } = await follow({ topics: ['nodes'], cluster })
    const { database } = server.api
    await database.prisma.node.update({ where: { id: node }, data: { enabled: false } })
    await expect.poll(() => batches.length, soon).toBe(2)
    const again = await follow({ topics: ['nodes'], cluster, after: batches[0]?.last })
    expect(again.batches[0]?.events).toMatchObject([{ id: node, fields: { enabled: false } }])
    const stranger = await follow({ topics: ['nodes'], after: 'another-7' })
    expect(stranger.batches[0]).toMatchObject({ events: [], list_again: ['nodes'] })
  })

  it('sends the values of metrics that are watched, once for each reading', async () => {
    const { context } = server.api
    const metric = { name: 'load.shortterm', unit: '', aggregation: 'mean' } as const
    context.metrics.intake.connected(node)
    await context.metrics.intake.catalogue(node, { id: 1, metrics: [metric] })
    const { batches } = await follow({ topics: [], metrics: [{ of: 'nodes', id: node, names: ['load.shortterm'] }] })
    await expect.poll(() => batches.flatMap(({ metrics }) => metrics), soon).toHaveLength(1)
    expect(batches.at(-1)?.metrics).toMatchObject([
      { of: 'nodes', id: node, samples: [{ metric_name: 'load.shortterm' }] },
    ])
  })

  it('refuses patterns, unknown topics and more than it sends', async () => {
    const refused = (input: object) =>
      new Promise((resolve) => {
        const subscription = client.rpc.events.watch.subscribe(input as Input, { onError: resolve })
        onTestFinished(() => subscription.unsubscribe())
      })
    for (const input of [
      { topics: ['weather'] },
      { topics: [], metrics: [{ of: 'nodes', id: node, names: ['load.*'] }] },
      { topics: [], metrics: [{ of: 'nodes', id: node, names: Array.from({ length: 51 }, String) }] },
    ])
      expect(await refused(input)).toMatchObject({ data: { code: 'BAD_REQUEST' } })
  })
})

describe('GET events/', () => {
  it('answers what has changed since the last answer, and waits for a change', async () => {
    const { body: first } = await server.get('/api/v1/events/?topics=nodes')
    expect(first).toEqual({ last: expect.any(String), events: [], list_again: [], metrics: [] })
    const waiting = server.get(`/api/v1/events/?topics=nodes&wait=60&after=${first.last}`)
    await server.api.database.prisma.node.update({ where: { id: node }, data: { state: 'online' } })
    const { body: second } = await waiting
    expect(second.events).toMatchObject([{ topic: 'nodes', id: node, fields: { state: 'online' } }])
    const { body: third } = await server.get(`/api/v1/events/?topics=nodes&wait=1&after=${second.last}`)
    expect(third).toEqual({ ...first, last: second.last })
    expect((await server.get('/api/v1/events/?after=another-7')).body.list_again).toHaveLength(11)
  })

  it('is 400 for unknown topics and waits', async () => {
    for (const query of ['topics=weather', 'wait=61', 'wait=x', 'cluster=0'])
      expect((await server.get(`/api/v1/events/?${query}`)).status).toBe(400)
  })
})
