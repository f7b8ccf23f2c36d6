import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Alert } from '@roost/api-types/rest'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runAgent, startAgentProcess } from '../support/agents/agent-program.js'
import type { AgentProcess } from '../support/agents/agent-program.js'
import { enrollmentArguments } from '../support/agents/enrollment.js'
import { addCluster } from '../support/agents/fleet-rows.js'
import { simulateTime } from '../support/alerts/simulated-time.js'
import type { SimulatedTime } from '../support/alerts/simulated-time.js'
import { startApi } from '../support/http/api.js'
import type { TestApi } from '../support/http/api.js'

const [roundMs, minuteMs] = [30_000, 60_000]

let api: TestApi
let time: SimulatedTime
let dataDir: string
let agent: AgentProcess
beforeAll(async () => {
  time = simulateTime(Date.now())
  api = await startApi({ ROOST_HISTORY: 'off' })
  // After a start nothing is concluded from silence for six heartbeats.
  await rounds(3 * minuteMs)
  dataDir = await mkdtemp(join(tmpdir(), 'roost-killed-'))
  const enrolled = await runAgent(dataDir, await enrollmentArguments(api, await addCluster(api.database)))
  if (enrolled.code !== 0) throw new Error(enrolled.stderr)
  agent = startAgentProcess(dataDir)
})
afterAll(async () => {
  await agent.kill9()
  await api.stop()
  time.stop()
  await rm(dataDir, { recursive: true, force: true })
})

/** Lets time pass for the control plane, with the rounds of the health. */
async function rounds(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= roundMs) {
    await time.pass(roundMs)
    await api.context.healthRounds.run()
  }
}
const node = async () => (await api.get('/api/v1/nodes/')).body.objects[0]
const becomes = (state: string) => expect.poll(async () => (await node()).state).toBe(state)
const alerts = async (query = '') =>
  (await api.get(`/api/v1/alerts/?code=NODE_SILENT&${query}`)).body.objects as readonly Alert[]

it('an agent that is killed is an alert of its node after five minutes, not before, until it is back', async () => {
  await becomes('online')
  await rounds(roundMs)
  expect(await alerts()).toEqual([])
  const { hostname, id, resource_uri: uri } = await node()
  await agent.kill9()
  await expect.poll(() => api.context.stream.isConnected(id)).toBe(false)
  await rounds(4 * minuteMs)
  await becomes('offline')
  expect(await alerts()).toEqual([])
  await rounds(minuteMs)
  const silent = { state: 'firing', severity: 'warning', node: uri, hostname, subject: hostname, threshold: 300 }
  expect(await alerts()).toMatchObject([silent])
  agent = startAgentProcess(dataDir)
  await becomes('online')
  await rounds(2 * roundMs)
  expect([await alerts(), await alerts('state=resolved')]).toMatchObject([[], [{ node: uri, subject: hostname }]])
})
