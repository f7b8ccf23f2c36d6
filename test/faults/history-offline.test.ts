import { createHash } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, vi } from 'vitest'
import { useAgentLab } from '../support/agents/agent-lab.js'
import { metricNames } from '../support/agents/test-agent.js'

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

const lab = useAgentLab()

async function identityHash(): Promise<string> {
  const bytes = await readFile(join(lab.state.dataDir, 'identity.json'))
  return createHash('sha256').update(bytes).digest('hex')
}

it('keeps its identity and its history while the control plane is away, and sends each window once, oldest first', async () => {
  const before = await identityHash()
  lab.server.script.settings = { history: { window_s: 300, mantissa: 13 } }
  await lab.connect()
  await lab.clock.advance(minute)
  lab.server.script.answer = 'silence'
  lab.proxy.set({ kind: 'refuse' })
  lab.proxy.reset()
  const away = (isLong ? 7 * 24 : 3) * hour
  await lab.clock.advance(away)
  expect(await identityHash()).toBe(before)
  lab.proxy.set({ kind: 'pass' })
  lab.server.script.answer = 'ack'
  await lab.clock.advanceUntil(() => lab.server.chunks.length >= away / (5 * minute), 10 * minute)
  const times = lab.server.chunks.flatMap(({ times }) => [...times])
  expect(times).toEqual(times.toSorted((a, b) => a - b))
  expect(new Set(times).size).toBe(times.length)
  // No reading is missing between the first one and the last one, although none was sent as a frame.
  const steps = times.slice(1).map((time, i) => time - (times[i] ?? 0))
  expect(Math.max(...steps)).toBeLessThan(10_100)
  expect(times.length).toBeGreaterThan(away / 10_000 - 30)
  expect(lab.server.chunks.every(({ names }) => names.join() === 'test.metric_0,test.metric_1,test.metric_2')).toBe(
    true,
  )
  expect(lab.server.faults).toEqual([])
})

it('records no history unless the settings ask for it, and removes what waits when they no longer do', async () => {
  await lab.connect()
  await lab.clock.advance(hour)
  expect(lab.server.chunks).toEqual([])
  lab.server.script.answer = 'silence'
  lab.server.sendAll({ ...settings, history: { window_s: 300, mantissa: 13 } })
  await lab.clock.advanceUntil(() => lab.server.chunks.length > 2, hour)
  lab.server.sendAll(settings)
  await expect
    .poll(async () => readdir(join(lab.state.dataDir, 'spool/messages')))
    .not.toContainEqual(expect.stringContaining('history'))
  const known = lab.server.chunks.length
  await lab.clock.advance(hour)
  expect(lab.server.chunks).toHaveLength(known)
})

it('takes at most 64 MiB of the disk for what it could not send, and drops the oldest', async () => {
  lab.server.script.settings = { report_interval_ms: 60_000, history: { window_s: 300, mantissa: 23 } }
  // Values that need eight bytes each: a window has 600 kB, and nine hours fill the spool.
  const names = metricNames(15_000)
  const values = () => Float64Array.from(names, () => Math.random() * 1e300)
  const readings = {
    read: async () => ({ time: lab.clock.now() / 1000, metrics: names, values: values() }),
    close: async () => {},
  }
  await lab.start({ readings })
  await lab.clock.advanceUntil(() => lab.server.frames.length > 1, 5 * minute)
  lab.proxy.set({ kind: 'refuse' })
  lab.proxy.reset()
  await lab.clock.advance((isLong ? 7 * 24 : 10) * hour)
  const spool = join(lab.state.dataDir, 'spool')
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
