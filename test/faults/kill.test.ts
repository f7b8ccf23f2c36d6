import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { type AgentProcess, runAgent, startAgentProcess } from '../support/agents/agent-program.js'
import { type ControlPlaneProcess, startControlPlane } from '../support/http/control-plane.js'
import { expectPromised } from '../support/clock/promised.js'
import { useFolder } from '../support/programs/folder.js'
import { freePort } from '../support/programs/free-port.js'
import { runRoost } from '../support/programs/processes.js'
import { request } from '../support/http/request.js'

/** What an operator is promised after the restart of any part. */
const promisedMs = 60_000
const limitMs = 3 * promisedMs
vi.setConfig({ testTimeout: 4 * limitMs, hookTimeout: 4 * limitMs })

const roostDir = await useFolder('kill')
const agentDir = await useFolder('kill-agent')
const address = `127.0.0.1:${await freePort()}`
let roost: ControlPlaneProcess
let agent: AgentProcess

beforeAll(async () => {
  roost = await start()
  const env = { ROOST_DATA_DIR: roost.dataDir }
  await runRoost(['cluster', 'add', 'lab'], env)
  const { stdout } = await runRoost(['token', 'create', '--cluster', 'lab', '-o', 'json'], env)
  const { lines } = JSON.parse(stdout) as { lines: readonly string[] }
  const [, ...args] = (lines[0] ?? '').split(' ')
  const enrolled = await runAgent(agentDir, args)
  if (enrolled.code !== 0) throw new Error(enrolled.stderr)
  agent = startAgentProcess(agentDir)
  await readingAfter(0)
})

afterAll(async () => {
  await agent.stop()
  await roost.stop()
})

function start(): Promise<ControlPlaneProcess> {
  return startControlPlane({ dataDir: roostDir, env: { ROOST_LISTEN: address } })
}

/** The Unix time of the first reading that the API shows and that was made after this one. */
async function readingAfter(time: number): Promise<number> {
  for (const deadline = Date.now() + limitMs; Date.now() < deadline; await sleep(250)) {
    const { body } = await request(roost, '/api/v1/nodes/1/metrics/poll/?metrics=uptime').catch(() => ({
      body: {},
    }))
    const [sample] = (body as { metrics?: { timestamp: number; value: number | null }[] }).metrics ?? []
    if (sample?.value != null && sample.timestamp > time) return sample.timestamp
  }
  throw new Error(
    `No reading within ${limitMs} ms. The agent says:\n${agent.output()}\nThe control plane says:\n${roost.output()}`,
  )
}

interface Writer {
  /** The last number whose change was answered with 202. */
  readonly accepted: () => number
  stop(): Promise<void>
}

/** Gives the node one address after the other, counting up. */
function startWriter(from: number): Writer {
  const stopping = new AbortController()
  let accepted = from
  const writing = (async () => {
    for (let number = from + 1; !stopping.signal.aborted; number++) {
      const change = { outward_facing_ip: `10.1.${number >> 8}.${number & 255}` }
      const answer = await request(roost, '/api/v1/nodes/1/', change).catch(() => undefined)
      if (answer?.status === 202) accepted = number
      else await sleep(50)
    }
  })()
  const stop = async () => {
    stopping.abort()
    await writing
  }
  onTestFinished(stop)
  return { accepted: () => accepted, stop }
}

/** The number of the change that the API shows. */
async function readWritten(): Promise<number> {
  const { body } = await request(roost, '/api/v1/nodes/1/')
  const [, , high, low] = (body as { outward_facing_ip: string }).outward_facing_ip.split('.').map(Number)
  return (high ?? 0) * 256 + (low ?? 0)
}

async function killDatabase(): Promise<void> {
  const [pid] = (await readFile(join(roostDir, 'pgdata/postmaster.pid'), 'utf8')).split('\n')
  process.kill(Number(pid), 'SIGKILL')
}

function seconds(): number {
  return Date.now() / 1000
}

it('reads the machine again after a restart of the agent that was killed, as the same node', async () => {
  const identity = await readFile(join(agentDir, 'identity.json'), 'utf8')
  await agent.kill9()
  const restarted = seconds()
  agent = startAgentProcess(agentDir)
  await readingAfter(restarted)
  expectPromised('a reading after the restart of the agent', (seconds() - restarted) * 1000, promisedMs)
  expect(await readFile(join(agentDir, 'identity.json'), 'utf8')).toBe(identity)
  const nodes = async () => (await request(roost, '/api/v1/nodes/')).body
  // A reading may come before who is there is written again.
  await expect.poll(nodes).toMatchObject({ meta: { total_count: 1 }, objects: [{ id: 1, state: 'online' }] })
})

it('reads the machine again after a restart of the control plane, and has lost nothing it accepted', async () => {
  const writer = startWriter(0)
  await expect.poll(() => writer.accepted()).toBeGreaterThan(3)
  await roost.kill9()
  await writer.stop()
  roost = await start()
  const restarted = seconds()
  await readingAfter(restarted)
  expectPromised('a reading after the restart of the control plane', (seconds() - restarted) * 1000, promisedMs)
  expect(await readWritten()).toBeGreaterThanOrEqual(writer.accepted())
})

it('goes on by itself when the database is killed, and has lost nothing it accepted', async () => {
  const writer = startWriter(1000)
  await expect.poll(() => writer.accepted()).toBeGreaterThan(1003)
  await killDatabase()
  const killed = seconds()
  await sleep(1000)
  const before = writer.accepted()
  for (const deadline = Date.now() + limitMs; writer.accepted() === before && Date.now() < deadline;) await sleep(100)
  await writer.stop()
  expect(writer.accepted()).toBeGreaterThan(before)
  expect(await readWritten()).toBeGreaterThanOrEqual(writer.accepted())
  await readingAfter(killed + 1)
})

it('comes back as a whole after everything was killed at once', async () => {
  const written = await readWritten()
  await Promise.all([agent.kill9(), roost.kill9(), killDatabase()])
  agent = startAgentProcess(agentDir)
  roost = await start()
  const restarted = seconds()
  await readingAfter(restarted)
  expectPromised('a reading after the restart of the control plane', (seconds() - restarted) * 1000, promisedMs)
  expect(await readWritten()).toBe(written)
})
