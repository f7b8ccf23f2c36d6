import { createClient } from '@roost/api-types'
import { describe, expect, it, onTestFinished } from 'vitest'
import { version } from '@roost/control-plane/dist/lifecycle/version.js'
import { recordBackup } from '@roost/control-plane/dist/backup/last-backup.js'
import { addCluster, addDevice, addNode } from '../support/agents/fleet-rows.js'
import { SimulatedAgent } from '../support/agents/simulated-agent.js'
import { insertNodes } from '../support/agents/nodes.js'
import { simulatedInventory } from '../support/agents/simulated-inventory.js'
import { shareApi } from '../support/http/shared-api.js'

const server = shareApi()

function typedClient() {
  const { url, ca, key } = server.api
  const { rpc, close } = createClient({ url, ca, apiKey: key })
  onTestFinished(close)
  return rpc
}

describe('clusters/<id>/summary/', () => {
  const summary = async (id: number) => (await server.get(`/api/v1/clusters/${id}/summary/`)).body

  it('counts nodes and devices by what they are, over both transports', async () => {
    const { database } = server.api
    const cluster = await addCluster(database)
    const seen = new Date('2026-11-20T10:00:00Z')
    const node = await addNode(database, cluster, { state: 'online', configState: 'synced', lastSeen: seen })
    await addNode(database, cluster, { state: 'online', configState: 'drifted', lastSeen: new Date(0) })
    await addNode(database, cluster, { state: 'offline' })
    for (const status of ['ok', 'ok', 'failed']) await addDevice(database, cluster, node, { status })
    await addNode(database, await addCluster(database), { state: 'stale' })
    const found = await summary(cluster)
    expect(found).toMatchObject({
      cluster: `/api/v1/clusters/${cluster}/`,
      nodes: {
        total: 3,
        states: { online: 2, offline: 1 },
        config_states: { synced: 1, drifted: 1, unknown: 1 },
      },
      devices: { total: 3, statuses: { ok: 2, failed: 1 } },
      unfinished_jobs: 0,
      newest_reading: '2026-11-20T10:00:00.000Z',
    })
    expect(JSON.stringify(found).length).toBeLessThan(2_000)
    expect(await typedClient().clusters.summary.query({ id: cluster })).toMatchObject({ nodes: found.nodes })
  })

  it('has the verdict and the rings of the last round of the health', async () => {
    const { database, context } = server.api
    const [agreed, differing, empty] = [
      await addCluster(database),
      await addCluster(database),
      await addCluster(database),
    ]
    const withRing = (cluster: number, md5: string) => {
      const ring = { name: 'object', md5, version: 1, devices: 3, partitions: 8, replicas: 3 }
      const inventory = { ...simulatedInventory('node'), rings: [ring] }
      return addNode(database, cluster, { state: 'online', inventory })
    }
    const [one, other] = ['a'.repeat(32), 'b'.repeat(32)]
    for (const md5 of [one, one]) await withRing(agreed, md5)
    for (const md5 of [one, other]) await withRing(differing, md5)
    await context.healthRounds.run()
    expect(await summary(agreed)).toMatchObject({ rings_agree: true, verdict: expect.stringMatching(/^(ok|warn)$/) })
    expect(await summary(differing)).toMatchObject({ rings_agree: false, verdict: 'critical' })
    expect(await summary(empty)).toMatchObject({ rings_agree: null })
  })

  it('shows a change as soon as subscribers learn of it, however often it is asked for', async () => {
    const { database } = server.api
    const cluster = await addCluster(database)
    const node = await addNode(database, cluster, { state: 'online' })
    const rpc = typedClient()
    let learned = 0
    let isWatching = false
    const subscription = rpc.events.watch.subscribe(
      { topics: ['nodes'], cluster },
      { onStarted: () => (isWatching = true), onData: ({ data }) => (learned += data.events.length) },
    )
    onTestFinished(() => subscription.unsubscribe())
    const asking = setInterval(() => void summary(cluster), 50)
    onTestFinished(() => clearInterval(asking))
    await expect.poll(() => summary(cluster)).toMatchObject({ nodes: { states: { online: 1 } } })
    await expect.poll(() => isWatching, { timeout: 30_000 }).toBe(true)
    const before = learned
    await database.prisma.node.update({ where: { id: node }, data: { state: 'offline' } })
    await expect.poll(() => learned, { interval: 1 }).toBeGreaterThan(before)
    expect((await summary(cluster)).nodes.states).toEqual({ offline: 1 })
  })

  it('is 404 for a cluster that does not exist', async () => {
    expect((await server.get('/api/v1/clusters/999999/summary/')).status).toBe(404)
  })
})

describe('system/', () => {
  const system = async () => (await server.get('/api/v1/system/')).body

  it('has the versions, sizes and ends that an operator plans by', async () => {
    const found = await system()
    expect(found).toMatchObject({
      version,
      database: { is_embedded: false, is_disk_full: false, version: expect.stringMatching(/^\d+/) },
      history: { is_on: true, is_paused: false },
      certificate: { is_own: true },
      key_file_fault: null,
    })
    expect(found.database.size_bytes).toBeGreaterThan(1e6)
    expect(Date.parse(found.certificate.valid_until)).toBeGreaterThan(Date.now())
    expect(Date.parse(found.certificate.authority_valid_until)).toBeGreaterThan(
      Date.parse(found.certificate.valid_until),
    )
    await expect.poll(async () => (await system()).disk?.total_bytes).toBeGreaterThan(0)
    expect(await typedClient().system.query()).toMatchObject({ version, started: found.started })
  })

  it('counts the agents that are connected, and all nodes by their version', async () => {
    const { url, ca, database } = server.api
    const before = (await system()).agents
    const [identity] = await insertNodes(database, await addCluster(database), 1)
    if (identity === undefined) throw new Error('No node was added.')
    const agent = new SimulatedAgent({ url, ca, identity, hello: { agent_version: '0.1.9' } })
    onTestFinished(() => agent.stop())
    agent.dial()
    await agent.until(({ welcomed }) => welcomed > 0)
    expect((await system()).agents.connected).toBe(before.connected + 1)
    await expect.poll(async () => (await system()).agents.versions).toContainEqual({ version: '0.1.9', nodes: 1 })
  })

  it('has the time of the last backup, once there is one', async () => {
    expect(await system()).toMatchObject({ last_backup: null })
    const created = '2026-11-25T02:30:40.000Z'
    await recordBackup(server.api.controlPlane.dataDir, { path: '/var/backups/roost.tar', created })
    const found = await system()
    expect(found.last_backup).toBe(created)
    expect(JSON.stringify(found)).not.toContain('/var/backups')
  })
})
