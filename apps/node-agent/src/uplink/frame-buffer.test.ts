import { mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createLog } from '@roost/runtime'
import { FrameBuffer } from './frame-buffer.js'

let dir: string
let lines: string[]
let opened: FrameBuffer[]

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'roost-frames-'))
  lines = []
  opened = []
})

afterEach(async () => {
  for (const buffer of opened) await buffer.close()
  await rm(dir, { recursive: true, force: true })
})

async function open(maxBytes = 64 << 20, reservedBytes = () => 0): Promise<FrameBuffer> {
  const log = createLog({ format: 'json', level: 'info', write: (line) => lines.push(line) })
  const buffer = await FrameBuffer.open({ dir, maxBytes, reservedBytes, log })
  opened.push(buffer)
  return buffer
}

function frame(number: number, bytes = 100): Uint8Array {
  return new Uint8Array(Buffer.alloc(bytes, number))
}

async function numbers(buffer: FrameBuffer): Promise<number[]> {
  const found: number[] = []
  for await (const bytes of buffer.replay()) found.push(bytes[0] ?? Number.NaN)
  return found
}

async function fill(buffer: FrameBuffer, from: number, to: number, bytes?: number): Promise<void> {
  for (let number = from; number <= to; number++) {
    buffer.append(frame(number, bytes))
    await buffer.settled()
  }
}

async function diskBytes(): Promise<number> {
  const sizes = await Promise.all((await readdir(dir)).map(async (name) => (await readFile(join(dir, name))).length))
  return sizes.reduce((sum, size) => sum + size, 0)
}

it('gives frames back in their order, after a restart too', async () => {
  const buffer = await open()
  await fill(buffer, 1, 3)
  await buffer.close()
  const again = await open()
  await fill(again, 4, 5)
  expect(await numbers(again)).toEqual([1, 2, 3, 4, 5])
})

it('drops the oldest frames at its bound, and never takes more', async () => {
  const buffer = await open(3 << 20)
  await fill(buffer, 1, 50, 100_000)
  expect(await diskBytes()).toBeLessThanOrEqual(3 << 20)
  expect(buffer.sizeBytes).toBe(await diskBytes())
  const kept = await numbers(buffer)
  expect(kept.at(-1)).toBe(50)
  expect(kept.length).toBeGreaterThan(19)
  expect(kept).toEqual(kept.toSorted((a, b) => a - b))
})

it('gives way to messages that must not be lost', async () => {
  let reserved = 0
  const buffer = await open(3 << 20, () => reserved)
  await fill(buffer, 1, 25, 100_000)
  reserved = 2 << 20
  await fill(buffer, 26, 26, 100_000)
  expect(await diskBytes()).toBeLessThanOrEqual(1 << 20)
  expect((await numbers(buffer)).at(-1)).toBe(26)
})

it('reads every complete frame before a torn one, wherever a crash tore it', async () => {
  const buffer = await open()
  await fill(buffer, 1, 5)
  await buffer.close()
  const [name = ''] = await readdir(dir)
  const complete = await readFile(join(dir, name))
  await fc.assert(
    fc.asyncProperty(fc.nat(complete.length), async (length) => {
      await writeFile(join(dir, name), complete)
      await truncate(join(dir, name), length)
      const torn = await open()
      await fill(torn, 9, 9)
      expect(await numbers(torn)).toEqual([1, 2, 3, 4, 5].slice(0, Math.floor(length / 108)).concat(9))
      await torn.close()
      for (const other of await readdir(dir)) if (other !== name) await rm(join(dir, other))
    }),
    { numRuns: 40 },
  )
})

it('does not take damaged bytes, or the zeros of a power cut, for frames', async () => {
  const buffer = await open()
  await fill(buffer, 1, 2)
  await buffer.close()
  const [name = ''] = await readdir(dir)
  const bytes = await readFile(join(dir, name))
  bytes[150] = 77
  await writeFile(join(dir, name), Buffer.concat([bytes, Buffer.alloc(500)]))
  expect(await numbers(await open())).toEqual([1])
  await writeFile(join(dir, name), Buffer.alloc(500))
  expect(await numbers(await open())).toEqual([])
})

it('says once that the disk takes no more, drops frames, and goes on when it takes them again', async () => {
  const buffer = await open()
  // A file stands where the folder would.
  await rm(dir, { recursive: true })
  await writeFile(dir, '')
  await fill(buffer, 1, 5)
  expect(lines).toHaveLength(1)
  expect(lines[0]).toContain('check the free space and permissions of the data directory')
  await rm(dir)
  await fill(buffer, 6, 7)
  expect(await numbers(buffer)).toEqual([6, 7])
})

it('forgets everything when asked, and can be used again', async () => {
  const buffer = await open()
  await fill(buffer, 1, 3)
  await buffer.clear()
  expect(await readdir(dir)).toEqual([])
  await fill(buffer, 4, 4)
  expect(await numbers(buffer)).toEqual([4])
})
