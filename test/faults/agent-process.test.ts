import { fork } from 'node:child_process'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest'
import { closeCodes } from '@roost/api-types/agent'
import { agentEnv, agentProgram, runAgent, startAgentProcess } from '../support/agents/agent-program.js'
import type { AgentProcess } from '../support/agents/agent-program.js'
import { ScriptedControlPlane } from '../support/agents/scripted-control-plane.js'
import { enrolledState } from '../support/agents/test-agent.js'

let server: ScriptedControlPlane
let state: Awaited<ReturnType<typeof enrolledState>>
const agents: AgentProcess[] = []

beforeEach(async () => {
  server = await ScriptedControlPlane.start({ clock: () => Date.now() / 1000 })
  state = await enrolledState(`http://127.0.0.1:${server.port}`)
  server.script.publicKey = state.identity.publicKey
})

afterEach(async () => {
  await Promise.all(agents.splice(0).map((agent) => agent.kill9()))
  await server.stop()
  await state.remove()
})

function startAgent(): AgentProcess {
  const agent = startAgentProcess(state.dataDir)
  agents.push(agent)
  return agent
}

async function reporting(): Promise<void> {
  await expect.poll(() => server.frames.length, { timeout: 60_000 }).toBeGreaterThan(0)
}

it('reports this machine: more than 150 metrics, its devices and what it is', async () => {
  const agent = startAgent()
  await reporting()
  expect(server.catalogue?.metrics.length).toBeGreaterThan(150)
  expect(server.catalogue?.metrics.map(({ name }) => name)).toContain('load.shortterm')
  // Again, when something on this machine changes meanwhile.
  await expect.poll(() => server.acknowledged.length, { timeout: 60_000 }).toBeGreaterThan(0)
  expect(server.inventories[0]?.inventory.host.cpu_cores).toBeGreaterThan(0)
  expect(await agent.stop()).toBe(0)
  expect(server.faults).toEqual([])
})

it('writes lines that a machine can parse, and none of its secrets', async () => {
  const agent = startAgent()
  await reporting()
  await agent.stop()
  const lines = agent
    .output()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { level: number; time: number; msg: string })
  // What this machine cannot tell is warned of between them, such as a port for Swift's statistics that another test has.
  const messages = lines.filter(({ level }) => level === 30).map(({ msg }) => msg)
  expect(messages).toEqual(['agent started', 'connected to the control plane', 'agent stopping'])
  const { private_key } = JSON.parse(await readFile(`${state.dataDir}/identity.json`, 'utf8')) as {
    private_key: string
  }
  expect(agent.output()).not.toContain(private_key.split('\n')[1])
})

it('ends in order on SIGTERM and SIGINT, and tells the control plane', async () => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const hellos = server.hellos.length
    const agent = startAgent()
    await expect.poll(() => server.hellos.length, { timeout: 60_000 }).toBe(hellos + 1)
    process.kill(agent.pid, signal)
    expect(await agent.ended).toBe(0)
    await expect.poll(() => server.connected).toBe(0)
  }
})

it('ends when the parent that started it with a channel has gone', async () => {
  const child = fork(agentProgram, ['run'], { env: agentEnv(state.dataDir), silent: true })
  onTestFinished(() => void child.kill('SIGKILL'))
  const ended = new Promise((resolve) => child.once('exit', resolve))
  await reporting()
  child.disconnect()
  expect(await ended).toBe(0)
})

it('leaves the state directory to the agent that works on it', async () => {
  const agent = startAgent()
  await reporting()
  expect(await runAgent(state.dataDir, ['run'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Another agent'),
  })
  expect(server.hellos).toHaveLength(1)
  await agent.kill9()
  const next = startAgent()
  await expect.poll(() => server.hellos.length, { timeout: 60_000 }).toBe(2)
  await next.stop()
})

it('ends with code 3 when an operator removes the node, and is not enrolled afterwards', async () => {
  const agent = startAgent()
  await reporting()
  server.closeAll(closeCodes.revoked, { message: 'An operator removed this node.' })
  await expect.poll(() => agent.output(), { timeout: 60_000 }).toContain('enroll it with a new token')
  expect(await agent.ended).toBe(3)
  expect(await readdir(state.dataDir)).not.toContain('identity.json')
  expect(await runAgent(state.dataDir, ['run'])).toMatchObject({
    code: 4,
    stderr: expect.stringContaining('roost token create'),
  })
})

it('answers --help for every command, and code 2 for what it does not know', async () => {
  const { code, stdout } = await runAgent(state.dataDir, ['--help'])
  expect(code).toBe(0)
  const commands = [...stdout.matchAll(/^ {2}([a-z]+) /gm)]
    .map(([, name = '']) => name)
    .filter((name) => name !== 'help')
  expect(commands).toEqual(expect.arrayContaining(['enroll', 'run', 'collect', 'inventory', 'doctor']))
  for (const name of commands) {
    const help = await runAgent(state.dataDir, [name, '--help'])
    expect(help).toMatchObject({ code: 0, stdout: expect.stringContaining('--data-dir <dir>') })
  }
  expect(await runAgent(state.dataDir, ['frobnicate'])).toMatchObject({ code: 2, stdout: '' })
})

it('says so when its identity is damaged, and leaves the file alone', async () => {
  const path = `${state.dataDir}/identity.json`
  await writeFile(path, '{"private_key":')
  expect(await runAgent(state.dataDir, ['run'])).toMatchObject({ code: 1, stderr: expect.stringContaining('damaged') })
  expect(await readFile(path, 'utf8')).toBe('{"private_key":')
})
