import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { failedWriteOf } from '../rclone-log.js'
import { incompletePath, isWrittenAgain, readFileState } from './failed-file.js'

describe('a line of the log of rclone 1.60.1', () => {
  it('names the file and the second of a write that found no space', () => {
    const line =
      "2026/11/23 00:13:47 ERROR : IO error: write /c/7/vfs/swift/box/d/other: it's.bin: no space left on device"
    expect(failedWriteOf(line)).toEqual({
      path: "/c/7/vfs/swift/box/d/other: it's.bin",
      failedAtMs: new Date(2026, 10, 23, 0, 13, 47, 999).getTime(),
    })
  })

  it.each([
    '2026/11/23 00:13:44 NOTICE: Serving remote control on http://127.0.0.1:55999/',
    '2026/11/23 00:13:46 ERROR : IO error: write /c/7/vfs/swift/box/a: input/output error',
    '2026/11/23 00:13:46 ERROR : a: vfs reader: failed to write to cache file: write /c/7/vfs/swift/box/a: no space left on device',
    'write /c/7/vfs/swift/box/a: no space left on device',
  ])('says nothing of the kind otherwise: %s', (line) => expect(failedWriteOf(line)).toBeUndefined())
})

describe('a file whose write failed', () => {
  let cache: string
  const key = 'swift/box/a'
  beforeEach(() => {
    cache = mkdtempSync(join(tmpdir(), 'roost-failed-'))
    for (const folder of ['vfs', 'vfsMeta']) mkdirSync(join(cache, folder, 'swift/box'), { recursive: true })
  })
  afterEach(() => rmSync(cache, { recursive: true }))

  const write = async (bytes: number, writtenAtSeconds: number, metadata: string) => {
    writeFileSync(join(cache, 'vfs', key), 'x'.repeat(bytes))
    utimesSync(join(cache, 'vfs', key), writtenAtSeconds, writtenAtSeconds)
    writeFileSync(join(cache, 'vfsMeta', key), metadata)
    const state = await readFileState(cache, key)
    if (state === undefined) throw new Error('The file is not there.')
    return state
  }
  const whole = (size: number) => JSON.stringify({ Size: size, Rs: [{ Pos: 0, Size: size }], Dirty: true })

  it('was written again where it grew, or was written later, and has no hole', async () => {
    const nowMs = Date.now()
    const seen = await write(6, nowMs / 1_000, '')
    const again = async (bytes: number, secondsLater: number, metadata = whole(bytes)) =>
      isWrittenAgain(seen, await write(bytes, nowMs / 1_000 + secondsLater, metadata), nowMs)
    expect(await again(6, 0)).toBe(false)
    expect(await again(6, 0.03)).toBe(false)
    expect(await again(6, 2)).toBe(true)
    expect(await again(9, 0)).toBe(true)
    const holed = JSON.stringify({
      Size: 9,
      Rs: [
        { Pos: 0, Size: 2 },
        { Pos: 6, Size: 3 },
      ],
      Dirty: true,
    })
    expect(await again(9, 2, holed)).toBe(false)
    // rclone had no space for its metadata either.
    expect(await again(6, 0, '')).toBe(false)
    rmSync(join(cache, 'vfs', key))
    expect(await readFileState(cache, key)).toBeUndefined()
  })

  it('keeps its name where its failure is found late', async () => {
    const seen = await write(6, 1_000, whole(6))
    expect(isWrittenAgain(seen, seen, Date.now() - 120_000)).toBe(true)
  })

  it('has another name in its folder, of at most 255 bytes', () => {
    expect(incompletePath('a/b.bin', 7_900)).toBe('a/b.bin.incomplete-7')
    expect(incompletePath('b', 7_900)).toBe('b.incomplete-7')
    const long = incompletePath(`a/${'ä'.repeat(127)}`, 1_700_000_000_000)
    expect(long).toBe(`a/${'ä'.repeat(116)}.incomplete-1700000000`)
  })
})
