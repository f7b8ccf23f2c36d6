import { createHash } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ScriptedControlPlane } from '../support/agents/scripted-control-plane.js'
import { SimulatedClock } from '../support/clock/simulated-clock.js'
import { startTcpProxy, type TcpProxy } from '../support/programs/tcp-proxy.js'
import { enrolledState, metricNames, startTestAgent, type TestAgent } from '../support/agents/test-agent.js'

const minute = 60_000
const hour = 60 * minute
/** What a control plane sends without history. */
const settings = {
  type: 'settings',
  report_interval_ms: 10_000,
  heartbeat_interval_ms: 15_000,
  inventory_interval_ms: hour,
  reconnect_spread_ms: 30_000,
  ca: [],
}
const isLong = process.env.ROOST_TEST_LONG === '1'
// A week takes minutes, and longer beside other suites.
vi.setConfig({ testTimeout: isLong ? 3_600_000 : 600_000 })

let clock: SimulatedClock
let state: Awaited<ReturnType<typeof enrolledState>>
let server: ScriptedControlPlane
let proxy: TcpProxy
let agent: TestAgent

beforeEach(async () => {
  clock = new SimulatedClock()
  server = await ScriptedControlPlane.start({ clock: () => clock.now() / 1000 })
  proxy = await startTcpProxy({ port: server.port })
  state = await enrolledState(`http://127.0.0.1:${proxy.port}`)
  server.script.publicKey = state.identity.publicKey
})

afterEach(async () => {
  await clock.advance(1)
  const stopped = agent.agent.stop()
  await clock.advance(10_000)
  await stopped
  await proxy.close()
  await server.stop()
  await state.remove()
  if (server.faults.length > 0) throw new Error(`The agent broke the protocol: ${server.faults.join('; ')}`)
})

async function identityHash(): Promise<string> {
  const bytes = await readFile(join(state.dataDir, 'identity.json'))
  return createHash('sha256').update(bytes).digest('hex')
}

async function start(random?: () => number): Promise<void> {
  agent = await startTestAgent({ dataDir: state.dataDir, clock, ...(random ? { random } : {}) })
  await clock.advanceUntil(() => server.hellos.length > 0, minute)
  await clock.advance(100)
}

it('keeps its identity and its history while the control plane is away, and sends each window once, oldest first', async () => {
  const before = await identityHash()
  server.script.settings = { history: { window_s: 300, mantissa: 13 } }
  await start()
  await clock.advance(minute)
  server.script.answer = 'silence'
  proxy.set({ kind: 'refuse' })
  proxy.reset()
  const away = (isLong ? 7 * 24 : 3) * hour
  await clock.advance(away)
  expect(await identityHash()).toBe(before)
  proxy.set({ kind: 'pass' })
  server.script.answer = 'ack'
  await clock.advanceUntil(() => server.chunks.length >= away / (5 * minute), 10 * minute)
  const times = server.chunks.flatMap(({ times }) => [...times])
  expect(times).toEqual(times.toSorted((a, b) => a - b))
  expect(new Set(times).size).toBe(times.length)
  // No reading is missing between the first one and the last one, although none was sent as a frame.
  const steps = times.slice(1).map((time, i) => time - (times[i] ?? 0))
  expect(Math.max(...steps)).toBeLessThan(10_100)
  expect(times.length).toBeGreaterThan(away / 10_000 - 30)
  expect(server.chunks.every(({ names }) => names.join() === 'test.metric_0,test.metric_1,test.metric_2')).toBe(true)
  expect(server.faults).toEqual([])
})

it('records no history unless the settings ask for it, and removes what waits when they no longer do', async () => {
  await start()
  await clock.advance(hour)
  expect(server.chunks).toEqual([])
  server.script.answer = 'silence'
  server.sendAll({ ...settings, history: { window_s: 300, mantissa: 13 } })
  await clock.advanceUntil(() => server.chunks.length > 2, hour)
  server.sendAll(settings)
  await expect
    .poll(async () => readdir(join(state.dataDir, 'spool/messages')))
    .not.toContainEqual(expect.stringContaining('history'))
  const known = server.chunks.length
  await clock.advance(hour)
  expect(server.chunks).toHaveLength(known)
})

it('takes at most 64 MiB of the disk for what it could not send, and drops the oldest', async () => {
  server.script.settings = { report_interval_ms: 60_000, history: { window_s: 300, mantissa: 23 } }
  // Values that need eight bytes each: a window has 600 kB, and nine hours fill the spool.
  const names = metricNames(15_000)
  const values = () => Float64Array.from(names, () => Math.random() * 1e300)
  const readings = {
    read: async () => ({ time: clock.now() / 1000, metrics: names, values: values() }),
    close: async () => {},
  }
  agent = await startTestAgent({ dataDir: state.dataDir, clock, readings })
  await clock.advanceUntil(() => server.frames.length > 1, 5 * minute)
  proxy.set({ kind: 'refuse' })
  proxy.reset()
  await clock.advance((isLong ? 7 * 24 : 10) * hour)
  const spool = join(state.dataDir, 'spool')
  const entries = await readdir(spool, { recursive: true, withFileTypes: true })
  const sizes = await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map(async (entry) => (await stat(join(entry.parentPath, entry.name))).size),
  )
  const total = sizes.reduce((sum, size) => sum + size, 0)
  expect(total).toBeLessThanOrEqual(64 << 20)
  expect(total).toBeGreaterThan(60 << 20)
})
