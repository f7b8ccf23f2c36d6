import { spawn } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@roost/api-types'
import type { Client } from '@roost/api-types'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { repository, startControlPlane } from '../support/http/control-plane.js'
import type { ControlPlaneProcess } from '../support/http/control-plane.js'
import { createTestDatabase } from '../support/database/database.js'
import type { TestDatabase } from '../support/database/database.js'
import { addLabNode } from '../support/gateway/deployment-lab.js'
import type { LabNode } from '../support/gateway/deployment-lab.js'
import { dumpDatabase } from '../support/database/dump.js'
import { addCluster } from '../support/agents/fleet-rows.js'
import { waitTimeoutMs } from '../support/clock/wait-until.js'
import { request } from '../support/http/request.js'

vi.setConfig({ testTimeout: 300_000 })
const canary = 'S3CR3T-canary-on-its-way-to-a-node'

let database: TestDatabase
let dataDir = ''
let roost: ControlPlaneProcess
let client: Client
let node: LabNode
let cluster = 0
/** What the agent logged, and what everybody was answered who did not set a secret. */
let logged = ''
let answers = ''
let stopAgent: () => Promise<unknown>
beforeAll(async () => {
  database = await createTestDatabase()
  dataDir = await mkdtemp(join(tmpdir(), 'roost-canary-'))
  roost = await startControlPlane({ dataDir, env: { DATABASE_URL: database.url, ROOST_LOG_LEVEL: 'debug' } })
  client = createClient({ url: roost.url, ca: roost.ca, apiKey: roost.key })
  cluster = await addCluster(database)
  node = await addLabNode(roost, database, cluster, { runsGateway: true, runsProxy: true })
  const program = join(repository, 'test/dist/support/agents/lab-agent-program.js')
  const agent = spawn(process.execPath, [program, node.dataDir], { stdio: ['ignore', 'pipe', 'pipe'] })
  for (const stream of [agent.stdout, agent.stderr]) stream.on('data', (chunk) => (logged += String(chunk)))
  const ended = new Promise((resolve) => agent.once('close', resolve))
  stopAgent = () => {
    agent.kill('SIGKILL')
    return ended
  }
  const isOnline = async () => (await client.rpc.nodes.get.query({ id: node.id })).state === 'online'
  await vi.waitUntil(isOnline, { timeout: waitTimeoutMs, interval: 100 })
})
afterAll(async () => {
  await stopAgent()
  await node.remove()
  await client.close()
  await roost.stop()
  await database.drop()
  await rm(dataDir, { recursive: true })
})

async function listen(path: string): Promise<void> {
  answers += JSON.stringify((await request(roost, path)).body)
}

/** Deploys both kinds, or only plans them, and reads what came of it. */
async function deploy(dry_run: boolean): Promise<void> {
  const { gatewayDeployments, userDbDeployments } = client.rpc
  for (const jobs of [gatewayDeployments, userDbDeployments]) {
    const { id } = await jobs.create.mutate({ cluster, dry_run })
    await expect.poll(async () => (await jobs.get.query({ id })).state, { timeout: 120_000 }).toBe('COMPLETED_SUCCESS')
    answers += JSON.stringify(await jobs.get.query({ id }))
  }
}

/** What the agent keeps on its disk. */
async function stateOfAgent(): Promise<string> {
  const names = await readdir(node.dataDir, { recursive: true, withFileTypes: true })
  const files = names.filter((entry) => entry.isFile() && entry.name !== 'identity.json')
  return (await Promise.all(files.map((entry) => readFile(join(entry.parentPath, entry.name), 'latin1')))).join('\n')
}

it('a secret that is sent to a node is in no log, answer, job, plan, drift, audit event, metric or row', async () => {
  const { users, gatewayShares, clusters, operators, apiKeys, tokens } = client.rpc
  await clusters.setStorage.mutate({ id: cluster, auth_url: 'http://swift.example/auth', user: 'a:b', key: canary })
  await users.create.mutate({ cluster, user: 'bob', password: canary })
  const share = { node: node.id, name: 'docs', protocol: 'cifs' as const, objectstore_container: 'c', enabled: true }
  await gatewayShares.create.mutate({ ...share, password: canary })
  const { id: operator } = await operators.create.mutate({ name: 'canary' })
  const key = await apiKeys.create.mutate({ operator })
  const { token } = await tokens.create.mutate({ cluster })
  const secrets = [canary, key.credentials.split(':')[1] ?? '', token]

  await deploy(true)
  await deploy(false)
  await writeFile(join(node.dir, 'current', 'by-hand'), 'x\n')
  const resources = ['gateway_deployments', 'user_db_deployments', 'users', 'gateway_shares', 'audit_events', 'nodes']
  for (const resource of resources) await listen(`/api/v1/${resource}/?limit=0`)
  for (const path of [`/api/v1/nodes/${node.id}/drift/`, '/metrics', '/readyz', '/openapi.json']) await listen(path)
  for (const state of ['COMPLETED_SUCCESS', 'COMPLETED_FAILED'])
    await listen(`/api/v1/gateway_deployments/?state=${state}`)
  answers += JSON.stringify([await apiKeys.list.query({}), await clusters.storage.query({ id: cluster })])
  await stopAgent()

  const rows = await dumpDatabase(database)
  const sinks = { answers, agent: logged, state: await stateOfAgent(), controlPlane: roost.output(), rows }
  expect(logged).toContain('deployment ended')
  for (const [sink, text] of Object.entries(sinks)) {
    expect(text.length).toBeGreaterThan(200)
    for (const secret of secrets)
      for (const form of [
        secret,
        Buffer.from(secret).toString('hex'),
        Buffer.from(secret).toString('base64').slice(0, -4),
      ])
        expect([sink, text.includes(form)]).toEqual([sink, false])
  }
})
