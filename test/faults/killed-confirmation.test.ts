import { spawn } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { join } from 'node:path'
import type { Job } from '@roost/api-types/rest'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { addCluster } from '../support/agents/fleet-rows.js'
import { windowClock } from '../support/clock/window-clock.js'
import { useDatabase } from '../support/database/database.js'
import { addLabNode, waitForJob } from '../support/gateway/deployment-lab.js'
import type { LabNode } from '../support/gateway/deployment-lab.js'
import { currentFiles, startedGenerations } from '../support/gateway/folder-applier.js'
import { repository, startControlPlane } from '../support/http/control-plane.js'
import type { ControlPlaneProcess } from '../support/http/control-plane.js'
import { request } from '../support/http/request.js'
import { useFolder } from '../support/programs/folder.js'
import { freePort } from '../support/programs/free-port.js'

vi.setConfig({ testTimeout: 300_000, hookTimeout: 300_000 })

const database = await useDatabase()
const dataDir = await useFolder('killed-confirmation')
const address = `127.0.0.1:${await freePort()}`
const withinS = 600
let roost: ControlPlaneProcess
let node: LabNode
let agent: ChildProcess | undefined

const start = () => startControlPlane({ dataDir, env: { DATABASE_URL: database.url, ROOST_LISTEN: address } })
const get = (path: string) => request(roost, path) as Promise<{ readonly body: Job }>
const post = (path: string, body: object) => request(roost, path, body, 'POST')
const files = async () => [...(await currentFiles(node.dir)).values()]

beforeAll(async () => {
  roost = await start()
})
afterAll(() => roost.stop())
afterEach(async () => {
  await kill(agent)
  await node.remove()
})

async function kill(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise((resolve) => child.once('close', resolve))
  child.kill('SIGKILL')
  await ended
}

/** The node's agent in a process of its own. */
function startAgent(): ChildProcess {
  const program = join(repository, 'test/dist/support/agents/lab-agent-program.js')
  return spawn(process.execPath, [program, node.dataDir], { stdio: 'ignore' })
}

/** A job that the node has applied, with a share that it did not have before, and that waits for its confirmation. */
async function appliedJob(begin: () => Promise<void>): Promise<Job> {
  node = await addLabNode(roost, database, await addCluster(database))
  await begin()
  const deploy = async (more: object) =>
    (await post('/api/v1/gateway_deployments/', { node: node.uri, ...more })).body as Job
  expect((await waitForJob(get, await deploy({}))).state).toBe('COMPLETED_SUCCESS')
  await post('/api/v1/gateway_shares/', { name: 'docs', node: node.uri, objectstore_container: 'c', enabled: true })
  const job = await deploy({ confirm_within_s: withinS })
  await expect.poll(async () => (await get(job.resource_uri)).body.targets).toMatchObject([{ state: 'applied' }])
  expect(await files()).toEqual(['docs\nrw\n'])
  return job
}

it('a deployment that waits for its confirmation survives the end of both sides', async () => {
  const job = await appliedJob(async () => {
    agent = startAgent()
  })
  await Promise.all([kill(agent), roost.kill9()])
  roost = await start()
  expect((await get(job.resource_uri)).body).toMatchObject({ state: 'IN_PROGRESS', confirmed: null })
  expect((await post('/api/v1/gateway_deployments/', { node: node.uri })).status).toBe(409)
  expect((await post(`${job.resource_uri}confirm/`, {})).status).toBe(202)
  await roost.kill9()
  roost = await start()
  expect((await get(job.resource_uri)).body).toMatchObject({ state: 'IN_PROGRESS', confirmed: expect.any(String) })
  agent = startAgent()
  expect((await waitForJob(get, job)).state).toBe('COMPLETED_SUCCESS')
  expect(await files()).toEqual(['docs\nrw\n'])
  expect(await startedGenerations(node.dir)).toEqual([1, 2])
})

it('a node returns by itself when the control plane is lost, and the job says so when it is back', async () => {
  const window = windowClock(withinS * 1000)
  const job = await appliedJob(() => node.start({ clock: window.clock }))
  await roost.kill9()
  window.end()
  await expect.poll(files).toEqual([])
  roost = await start()
  const message = 'Not confirmed within 10 minutes: returned to generation 1.'
  expect(await waitForJob(get, job)).toMatchObject({ state: 'COMPLETED_FAILED', message })
  expect((await get(node.uri)).body).toMatchObject({ config_state: 'pending' })
})
