import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { embeddedConnection, openDatabase } from '@roost/database'
import type { Database } from '@roost/database'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { startControlPlane } from '../support/http/control-plane.js'
import type { ControlPlaneProcess } from '../support/http/control-plane.js'
import { addLabNode, blockHalfway } from '../support/gateway/deployment-lab.js'
import type { LabNode } from '../support/gateway/deployment-lab.js'
import { useFolder } from '../support/programs/folder.js'
import { restTransport } from '../support/http/transports.js'
import type { RestTransport } from '../support/http/transports.js'
import { addCluster } from '../support/agents/fleet-rows.js'
import { startedGenerations, currentGeneration } from '../support/gateway/folder-applier.js'

/** How long a deployment may take once its database is back: the agent says its result again after a minute at most. */
const resumesMs = 90_000
vi.setConfig({ testTimeout: 4 * resumesMs })

const dataDir = await useFolder('midjob')
let roost: ControlPlaneProcess
let database: Database
let transport: RestTransport
let node: LabNode
beforeAll(async () => {
  roost = await startControlPlane({ dataDir })
  database = openDatabase(embeddedConnection(dataDir))
  database.pool.on('error', () => {}) // its server is killed
  transport = restTransport(roost)
})
beforeEach(async () => {
  node = await addLabNode(roost, database, await addCluster(database))
  await node.start()
  return () => node.remove()
})
afterAll(async () => {
  await transport.close()
  await database.close()
  await roost.stop()
})

const postmaster = async () => Number((await readFile(join(dataDir, 'pgdata/postmaster.pid'), 'utf8')).split('\n')[0])

/** Ends the database, and waits until another serves. */
async function killDatabase(meanwhile: () => void = () => {}): Promise<void> {
  const killed = await postmaster()
  process.kill(killed, 'SIGKILL')
  meanwhile()
  const isAnother = async () => (await postmaster().catch(() => killed)) !== killed
  await expect.poll(isAnother, { timeout: resumesMs }).toBe(true)
  await expect.poll(() => transport.list('clusters').catch(() => undefined), { timeout: resumesMs }).toBeDefined()
}

/** Deployments to the node that run; with a query others of them. */
const deployments = (query = '') => transport.list('gateway_deployments', `&node=${node.id}${query}`)

/** Begins a deployment that waits on the node. The returned function releases it. */
async function beginBlocked(): Promise<() => void> {
  const release = blockHalfway(node)
  const made = await transport.create('gateway_deployments', { node: node.id })
  expect(made).toHaveProperty('record.state', 'QUEUED')
  const states = async () => (await deployments()).map(({ progress }) => progress)
  await expect.poll(states, { timeout: resumesMs }).toEqual([60])
  return release
}

/** How the deployment ended, and what the node did in all. */
async function endOfIt() {
  await expect.poll(() => deployments(), { timeout: resumesMs, interval: 200 }).toEqual([])
  const [last] = await deployments('&state=COMPLETED_SUCCESS')
  return {
    targets: last?.['targets'],
    inForce: await currentGeneration(node.dir),
    begun: await startedGenerations(node.dir),
  }
}

const doneOnce = {
  targets: [expect.objectContaining({ state: 'applied', generation: 1 })],
  inForce: 1,
  begun: [1],
}

describe('a deployment whose database is restarted in the middle of it', () => {
  it('comes to its end when the node is done after the database is back', async () => {
    const release = await beginBlocked()
    await killDatabase()
    release()
    expect(await endOfIt()).toEqual(doneOnce)
  })

  it('comes to its end when the node is done while the database is away', async () => {
    const release = await beginBlocked()
    await killDatabase(release)
    expect(await endOfIt()).toEqual(doneOnce)
  })

  it('leaves the control plane the process that it was', () => {
    expect(() => process.kill(roost.pid, 0)).not.toThrow()
    expect(roost.output()).not.toMatch(/unhandled|uncaught/i)
  })
})
