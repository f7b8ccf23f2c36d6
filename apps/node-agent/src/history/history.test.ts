import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { decodeHistoryFrame, type MetricDefinition } from '@roost/api-types/agent'
import { decodeChunk, readHead, splitChunk } from '@roost/history'
import { createLog } from '@roost/runtime'
import { TestClock } from '@roost/testing'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { catalogueOf } from '../uplink/catalogue.js'
import { MessageSpool } from '../uplink/message-spool.js'
import { firstPace } from '../uplink/pace.js'
import { History } from './history.js'
import { phaseOf } from './window.js'

const node = '0d4c8f0e-55a0-4d0c-9d4b-6f0f6a1d7c11'
const windowMs = 300_000
const start = Date.UTC(2026, 10, 22)
const ten = 10_000

let dir: string
let clock: TestClock
let messages: MessageSpool
let history: History
let settings: typeof firstPace.history
let wire: Wire

/** A session that has room, and what went over it. */
class Wire {
  hasRoom = true
  live: number | null = null
  readonly columns: number[] = []
  readonly chunks: {
    readonly sequence: number
    readonly catalogue: number
    readonly times: number[]
    readonly columns: number[][]
  }[] = []

  knows = (catalogue: number) => catalogue === this.live
  send = (data: string | Uint8Array): boolean => {
    if (!this.hasRoom) return false
    if (typeof data === 'string') this.columns.push((JSON.parse(data) as { id: number }).id)
    else this.#chunk(data)
    return true
  }

  #chunk(bytes: Uint8Array): void {
    const { catalogue, sequence, chunk } = decodeHistoryFrame(bytes)
    const { head, data } = splitChunk(chunk)
    const { columns, readings } = readHead(head)
    const decoded = decodeChunk(head, data, columns, readings)
    const values = decoded.columns.map((column) => [...column])
    this.chunks.push({ sequence, catalogue, times: [...decoded.times], columns: values })
  }

  get sequences(): number[] {
    return this.chunks.map(({ sequence }) => sequence)
  }
}

const log = createLog({ format: 'json', level: 'error', write: (line) => process.stderr.write(line) })

async function open(maxBytes = 64 << 20): Promise<void> {
  messages = await MessageSpool.open({ dir: join(dir, 'messages'), maxBytes, clock, log })
  const pace = () => ({ ...firstPace, history: settings })
  history = await History.open({ dir, node, messages, pace, clock, log })
}

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'roost-history-'))
  clock = new TestClock(start)
  settings = { windowMs, mantissa: 13 }
  wire = new Wire()
  await open()
})

afterEach(async () => {
  history.close()
  await history.stop()
  await rm(dir, { recursive: true, force: true })
})

const metricsOf = (...names: string[]): readonly MetricDefinition[] =>
  names.map((name) => ({ name, unit: 'count', aggregation: 'sum' }))
const catalogue = catalogueOf(metricsOf('a', 'b'))
const other = catalogueOf(metricsOf('a', 'b', 'c'))

function record(timeMs: number, values: readonly number[], of = catalogue): void {
  history.record(of, { time: timeMs / 1000, metrics: of.metrics, values: Float64Array.from(values) })
}

/** Records readings every ten seconds, from the beginning of a window on. */
function recordFrom(from: number, count: number, of = catalogue): void {
  for (let i = 0; i < count; i++)
    record(
      from + i * ten,
      of.metrics.map((_, j) => i * (j + 1)),
      of,
    )
}

const begin = Math.ceil((start - phaseOf(node, windowMs)) / windowMs) * windowMs + phaseOf(node, windowMs)

it('makes a chunk of each window, at a moment of the node, with every value and gap', async () => {
  recordFrom(begin, 30)
  record(begin + windowMs, [Number.NaN, 1])
  history.open(wire)
  await expect.poll(() => wire.chunks).toHaveLength(1)
  const [chunk] = wire.chunks
  expect(chunk?.times).toEqual(Array.from({ length: 30 }, (_, i) => begin + i * ten))
  expect(chunk?.columns[1]).toEqual(Array.from({ length: 30 }, (_, i) => i * 2))
  recordFrom(begin + windowMs + ten, 30)
  await expect.poll(() => wire.chunks).toHaveLength(2)
  expect(wire.chunks[1]?.columns[0]?.slice(0, 3)).toEqual([Number.NaN, 0, 1])
  expect(phaseOf('another', windowMs)).not.toBe(phaseOf(node, windowMs))
})

it('ends a window where the names change or the clock is set back, and when it stops', async () => {
  recordFrom(begin, 3)
  recordFrom(begin + 3 * ten, 2, other)
  recordFrom(begin + 4 * ten - 5, 2, other)
  await history.stop()
  history.open(wire)
  await expect.poll(() => wire.chunks).toHaveLength(3)
  expect(wire.chunks.map(({ times, columns }) => [times.length, columns.length])).toEqual([
    [3, 2],
    [2, 3],
    [2, 3],
  ])
  expect(wire.columns).toEqual([catalogue.id, other.id])
})

it('sends the names of columns once in a session, unless the session has them, also after a restart', async () => {
  wire.live = other.id
  recordFrom(begin, 1)
  recordFrom(begin + windowMs, 1)
  recordFrom(begin + 2 * windowMs, 1, other)
  await history.stop()
  await open()
  history.open(wire)
  await expect.poll(() => wire.chunks).toHaveLength(3)
  expect(wire.columns).toEqual([catalogue.id])
  for (const sequence of wire.sequences) await history.acknowledged(sequence)
  expect(messages.pending()).toEqual([])
  await open()
  expect(await readdir(join(dir, 'history'))).toEqual([])
})

it('sends four chunks without an answer, and each again after a reconnect, a refusal or a minute', async () => {
  for (let i = 0; i < 6; i++) recordFrom(begin + i * windowMs, 1)
  await history.stop()
  history.open(wire)
  await expect.poll(() => wire.chunks).toHaveLength(4)
  const [first = 0, second = 0] = wire.sequences
  await history.acknowledged(first)
  await expect.poll(() => wire.chunks).toHaveLength(5)
  expect(history.refused(second, false)).toBe(true)
  await clock.pass(20_000)
  await expect.poll(() => wire.sequences.filter((sequence) => sequence === second)).toHaveLength(2)
  history.close()
  const again = new Wire()
  history.open(again)
  await expect.poll(() => again.sequences).toEqual([second, ...wire.sequences.slice(2, 5)])
  await clock.pass(61_000)
  await expect.poll(() => again.sequences).toHaveLength(8)
  expect(new Set(again.sequences).size).toBe(4)
})

it('drops a chunk that can never be accepted, and waits for room in the socket', async () => {
  recordFrom(begin, 1)
  recordFrom(begin + windowMs, 1)
  await history.stop()
  wire.hasRoom = false
  history.open(wire)
  await clock.pass(5000)
  expect(wire.chunks).toEqual([])
  wire.hasRoom = true
  await clock.pass(5000)
  await expect.poll(() => wire.chunks).toHaveLength(2)
  const [first = 0, second = 0] = wire.sequences
  expect(history.refused(first, true)).toBe(true)
  await expect.poll(() => messages.pending().map(({ sequence }) => sequence)).toEqual([second])
  expect(history.refused(first + 12_345, false)).toBe(false)
})

it('divides a window that is too large for a message', async () => {
  const many = catalogueOf(metricsOf(...Array.from({ length: 8000 }, (_, i) => `m${i}`)))
  settings = { windowMs, mantissa: 23 }
  for (let i = 0; i < 31; i++)
    record(
      begin + i * ten,
      many.metrics.map(() => Math.random()),
      many,
    )
  await history.stop()
  const sizes = messages.pending().map(({ sizeBytes }) => sizeBytes)
  expect(sizes.length).toBeGreaterThan(2)
  expect(Math.max(...sizes)).toBeLessThan(900_001)
  history.open(wire)
  await expect.poll(() => wire.chunks.flatMap(({ times }) => times)).toHaveLength(31)
})

it('records nothing without the setting, and removes what waits', async () => {
  recordFrom(begin, 1)
  recordFrom(begin + windowMs, 1)
  await expect.poll(() => messages.pending()).toHaveLength(1)
  settings = null
  recordFrom(begin + 2 * windowMs, 60)
  history.open(wire)
  await expect.poll(() => messages.pending()).toEqual([])
  expect(wire.chunks).toEqual([])
})

/** The kinds of values of a storage node: most never change, others are rates, growing sizes, and timers with gaps. */
function modelValue(series: number, reading: number): number {
  const noise = Math.random()
  const kind = series % 20
  if (kind < 7) return kind < 6 ? 0 : series
  if (kind < 14) return Math.round((50 + series) * (1 + 0.3 * noise) * 10) / (10 + 0.002 * noise)
  if (kind < 17) return 6e12 + reading * 8_192_000 + Math.round(noise * 2000) * 4096
  if (kind < 19) return Math.round(noise * 500) / 100
  return noise < 0.3 ? Number.NaN : 12 * Math.exp(noise)
}

/** A week in windows of five minutes; all of it only with ROOST_TEST_LONG, else two hours count for it. */
const week = 12 * 24 * 7
const windows = process.env.ROOST_TEST_LONG === '1' ? week : 24

it('has room for a week of 575 metrics in 64 MiB', async () => {
  const names = catalogueOf(metricsOf(...Array.from({ length: 575 }, (_, i) => `m${i}`)))
  for (let window = 0; window < windows; window++) {
    for (let i = 0; i < 30; i++) {
      const values = names.metrics.map((_, j) => modelValue(j, window * 30 + i))
      record(begin + window * windowMs + i * ten, values, names)
    }
    await messages.settled()
  }
  await history.stop()
  const sizes = messages.pending().map(({ sizeBytes }) => sizeBytes)
  expect(sizes).toHaveLength(windows)
  const bytes = sizes.reduce((sum, size) => sum + size, 0)
  expect((bytes / windows) * week).toBeLessThan(64 << 20)
  expect(bytes / windows / 30 / 575).toBeGreaterThan(1)
})
