import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createLog } from '@roost/runtime'
import { MessageSpool } from './message-spool.js'

let dir: string
let nowMs: number
let lines: string[]

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'roost-spool-'))
  nowMs = 1_000_000
  lines = []
})

afterEach(async () => {
  await rm(dir, { recursive: true, force: true })
})

function open(): Promise<MessageSpool> {
  const log = createLog({ format: 'json', level: 'info', write: (line) => lines.push(line) })
  const clock = { now: () => nowMs, monotonic: () => 0, after: () => () => {} }
  return MessageSpool.open({ dir, maxBytes: 1 << 20, clock, log })
}

/** A file stands where the folder would: nothing can be written, as on a full disk. */
async function blockFolder(): Promise<void> {
  await rm(dir, { recursive: true })
  await writeFile(dir, '')
}

function numbered(sequence: number): object {
  return { type: 'inventory', sequence }
}

it('keeps messages over a restart, oldest first, until they are acknowledged', async () => {
  const spool = await open()
  const first = await spool.add('usage', numbered)
  const second = await spool.add('usage', numbered)
  const again = await open()
  expect(again.pending().map(({ sequence }) => sequence)).toEqual([first.sequence, second.sequence])
  expect(JSON.parse((await again.read(first)) ?? '')).toEqual({ type: 'inventory', sequence: first.sequence })
  await again.acknowledge(first.sequence)
  expect((await open()).pending().map(({ sequence }) => sequence)).toEqual([second.sequence])
})

it('knows kinds with numbers in them again, so that each replaces its own alone', async () => {
  const spool = await open()
  await spool.add('usage_transfer_1795170600_0', numbered, true)
  const other = await spool.add('usage_transfer_1795172400_0', numbered, true)
  const again = await open()
  const newer = await again.add('usage_transfer_1795170600_0', numbered, true)
  expect(again.pending().map(({ sequence }) => sequence)).toEqual([other.sequence, newer.sequence])
})

it('replaces those of its kind that wait, and no others', async () => {
  const spool = await open()
  await spool.add('applied', numbered)
  await spool.add('inventory', numbered, true)
  await spool.add('inventory', numbered, true)
  expect((await open()).pending().map(({ kind }) => kind)).toEqual(['applied', 'inventory'])
})

it('numbers upwards when the clock is set back, and after everything was acknowledged', async () => {
  const spool = await open()
  const { sequence } = await spool.add('usage', numbered)
  expect(sequence).toBe(1_000_000)
  await spool.acknowledge(sequence)
  nowMs -= 3_600_000
  const next = await (await open()).add('usage', numbered)
  expect(next.sequence).toBe(1_000_001)
})

it('writes nothing that others may read', async () => {
  const spool = await open()
  await spool.add('usage', numbered)
  for (const name of await readdir(dir)) expect((await stat(join(dir, name))).mode & 0o077).toBe(0)
})

it('takes no half-written file of a killed writer for a message', async () => {
  const spool = await open()
  await spool.add('usage', numbered)
  await writeFile(join(dir, '0000000001000009-usage.json.new'), '{"type":"us')
  expect((await open()).pending()).toHaveLength(1)
  expect((await readdir(dir)).filter((name) => name.endsWith('.new'))).toEqual([])
})

it('keeps a message in memory when the disk takes no more, says so, and still lets it be acknowledged', async () => {
  const spool = await open()
  await blockFolder()
  const message = await spool.add('usage', numbered)
  expect(lines.join()).toContain('check the free space and permissions of the data directory')
  expect(await spool.read(message)).toContain(String(message.sequence))
  await spool.acknowledge(message.sequence)
  expect(spool.pending()).toEqual([])
})

it('does not forget what it has when a newer message of the kind cannot be saved', async () => {
  const spool = await open()
  const old = await spool.add('inventory', numbered, true)
  const path = join(dir, (await readdir(dir)).find((name) => name.endsWith('.json')) ?? '')
  expect(await readFile(path, 'utf8')).toContain(String(old.sequence))
  nowMs += 1
  // A folder stands where the file would.
  await mkdir(join(dir, `${String(nowMs).padStart(16, '0')}-inventory.json`, 'x'), { recursive: true })
  await spool.add('inventory', numbered, true)
  expect((await open()).pending().map(({ sequence }) => sequence)).toEqual([old.sequence])
})

it('keeps binary messages, and drops those of history, oldest first, for others', async () => {
  const spool = await open()
  const bytes = (size: number) => () => new Uint8Array(size).fill(0xfe)
  for (const size of [400_000, 400_001, 200_000]) await spool.add('history_1', bytes(size))
  const [first] = spool.pending()
  expect(first && (await spool.readBytes(first))?.equals(bytes(400_000)())).toBe(true)
  expect(spool.sizeBytes).toBe(0)
  await spool.add('usage', () => ({ text: 'x'.repeat(600_000) }))
  const again = await open()
  expect(again.pending().map(({ kind, sizeBytes }) => [kind, sizeBytes])).toEqual([
    ['history_1', 200_000],
    ['usage', 600_011],
  ])
  await again.add('inventory', () => ({ text: 'x'.repeat(600_000) }))
  expect(again.pending().map(({ kind }) => kind)).toEqual(['usage', 'inventory'])
})

it('keeps no more than 1 MiB of history in memory while nothing can be written', async () => {
  const spool = await MessageSpool.open({
    dir,
    maxBytes: 64 << 20,
    clock: { now: () => nowMs, monotonic: () => 0, after: () => () => {} },
    log: createLog({ format: 'json', level: 'info', write: (line) => lines.push(line) }),
  })
  await blockFolder()
  for (let i = 0; i < 8; i++) await spool.add('history_1', () => new Uint8Array(300_000).fill(i))
  expect(spool.pending()).toHaveLength(3)
  const last = spool.pending().at(-1)
  expect(last && (await spool.readBytes(last))?.at(0)).toBe(7)
})
