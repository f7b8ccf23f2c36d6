import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decodeMetricFrame, type MetricDefinition } from '@roost/api-types/agent'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createLog, systemClock } from '@roost/runtime'
import { MessageSpool } from './message-spool.js'
import { type HistoryOutlet, Outbox } from './outbox.js'

/** A socket whose reader is slow or quick as the test says. */
class Wire {
  bufferedBytes = 0
  readonly sent: string[] = []
  send(data: string | Uint8Array): void {
    this.sent.push(
      typeof data === 'string'
        ? (JSON.parse(data) as { type: string }).type
        : `frame ${decodeMetricFrame(data).values[0]}`,
    )
  }
}

const full = 1 << 20
const metrics: readonly MetricDefinition[] = [{ name: 'a', unit: 'count', aggregation: 'sum' }]

let dir: string
let lines: string[]
let recorded: number[]
let messages: MessageSpool
let outbox: Outbox
let wire: Wire

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'roost-outbox-'))
  lines = []
  const log = createLog({ format: 'json', level: 'info', write: (line) => lines.push(line) })
  const messagesDir = join(dir, 'messages')
  messages = await MessageSpool.open({ dir: messagesDir, maxBytes: 1 << 20, clock: systemClock, log })
  recorded = []
  const history: HistoryOutlet = {
    record: (_catalogue, { values }) => void recorded.push(values[0] ?? Number.NaN),
    open: (link) => void link.send(JSON.stringify({ type: 'history_columns' })),
    close: () => {},
    acknowledged: async () => {},
    refused: () => false,
  }
  outbox = new Outbox({ clock: systemClock, log, messages, history })
  wire = new Wire()
})

afterEach(async () => {
  vi.useRealTimers()
  outbox.close()
  await rm(dir, { recursive: true, force: true })
})

function report(value: number, of = metrics): void {
  outbox.report({ time: 1, metrics: of, values: new Float64Array(of.length).fill(value) })
}

it('records every reading, sends the newest one first after a reconnect, and history once it is asked for', () => {
  expect(outbox.phase).toBe('offline')
  for (const value of [1, 2, 3]) report(value)
  expect(recorded).toEqual([1, 2, 3])
  outbox.sendHistory()
  outbox.open(wire)
  expect(outbox.phase).toBe('live')
  expect(wire.sent).toEqual(['catalogue', 'frame 3'])
  outbox.sendHistory()
  expect(wire.sent).toEqual(['catalogue', 'frame 3', 'history_columns'])
})

it('keeps only the newest of each kind while the socket is full, and says afterwards how many frames it dropped', () => {
  vi.useFakeTimers()
  outbox.open(wire)
  report(1)
  wire.bufferedBytes = full
  for (const value of [2, 3, 4]) report(value)
  outbox.usage(1, [])
  outbox.usage(2, [])
  expect(outbox.phase).toBe('congested')
  expect(wire.sent).toEqual(['catalogue', 'frame 1'])
  wire.bufferedBytes = 0
  vi.advanceTimersByTime(1000)
  expect(outbox.phase).toBe('live')
  expect(wire.sent).toEqual(['catalogue', 'frame 1', 'frame 4', 'device_usage'])
  expect(JSON.parse(lines.join())).toMatchObject({ droppedFrames: 2 })
})

it('sends a message once there is room for it', async () => {
  wire.bufferedBytes = full
  outbox.open(wire)
  let sequence = 0
  await outbox.deliver('inventory', (number) => ({ type: 'inventory', sequence: (sequence = number) }))
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(wire.sent).toEqual([])
  wire.bufferedBytes = 0
  await expect.poll(() => wire.sent, { timeout: 20_000 }).toEqual(['inventory'])
  await outbox.acknowledged(sequence)
  expect(messages.pending()).toEqual([])
})

it('gives up a message that is larger than the protocol allows, instead of losing the connection to it for ever', async () => {
  outbox.open(wire)
  await outbox.deliver('inventory', () => ({ type: 'inventory', padding: 'x'.repeat(1 << 20) }))
  await expect.poll(() => messages.pending()).toEqual([])
  expect(wire.sent).toEqual([])
  expect(lines.join()).toContain('larger than the protocol allows')
})

it('sends no frame whose catalogue cannot be sent, and logs that once', () => {
  const many = Array.from({ length: 20_000 }, (_, i) => ({ name: `a.long.name.of.a.metric.${i}`, unit: 'count' })).map(
    (metric) => ({ ...metric, aggregation: 'sum' as const }),
  )
  outbox.open(wire)
  report(1, many)
  report(2, many)
  expect(wire.sent).toEqual([])
  expect(lines).toHaveLength(1)
  expect(lines[0]).toContain('too many metrics for one catalogue message')
})

it('sends nothing while another machine has the identity', () => {
  outbox.park()
  report(1)
  outbox.usage(1, [])
  outbox.log('warn', 'x')
  expect(outbox.phase).toBe('parked')
  expect(wire.sent).toEqual([])
})

it('tells what an operator should know while it is live, and only then', () => {
  outbox.log('warn', 'lost')
  outbox.open(wire)
  outbox.log('warn', 'heard')
  expect(wire.sent).toEqual(['log'])
})

it('supersedes what waits of the same kind, or keeps each, as its caller asks', async () => {
  const build = (sequence: number) => ({ type: 'inventory', sequence })
  await outbox.deliver('inventory', build)
  await outbox.deliver('inventory', build)
  expect(outbox.countWaiting('inventory')).toBe(1)
  await outbox.deliverEach('mount_restored', build)
  await outbox.deliverEach('mount_restored', build)
  expect(outbox.countWaiting('mount_restored')).toBe(2)
  expect(outbox.isWaiting('applied_user_db')).toBe(false)
})
