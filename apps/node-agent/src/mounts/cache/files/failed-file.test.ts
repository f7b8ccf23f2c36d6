import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, utimesSync, writeFileSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { failedWriteOf, lastLine, portOf } from '../../rclone/log.js'
import { incompletePath, isWrittenAgain, readFileState } from './failed-file.js'

describe('a line of the log of rclone 1.60.1', () => {
  const start = new Date(2026, 10, 23, 0, 13, 47).getTime()
  const path = "/c/7/vfs/swift/box/d/other: it's.bin"
  const lineAt = (time: string) => `2026/11/23 ${time} ERROR : IO error: write ${path}: no space left on device`

  it('names the file and the microsecond of a write that found no space', () => {
    const failedAtMs = start + 249.435
    expect(failedWriteOf(lineAt('00:13:47.249435'), start + 60_000)).toEqual({ path, failedAtMs })
    expect(failedWriteOf(lineAt('00:13:47.249435'), start + 248)).toEqual({ path, failedAtMs })
    const truncate = `2026/11/23 00:13:47.000001 ERROR : IO error: truncate ${path}: no space left on device`
    expect(failedWriteOf(truncate, start)).toEqual({ path, failedAtMs: start + 0.001 })
  })

  it('has the second alone where an earlier version of the agent started rclone', () => {
    expect(failedWriteOf(lineAt('00:13:47'), start + 60_000)).toEqual({ path, failedAtMs: start + 999 })
    expect(failedWriteOf(lineAt('00:13:47'), start + 300)).toEqual({ path, failedAtMs: start + 310 })
  })

  it.each([
    '2026/11/23 00:13:44.120000 NOTICE: Serving remote control on http://127.0.0.1:55999/',
    '2026/11/23 00:13:46.120000 ERROR : IO error: write /c/7/vfs/swift/box/a: input/output error',
    '2026/11/23 00:13:46 ERROR : a: vfs reader: failed to write to cache file: write /c/7/vfs/swift/box/a: no space left on device',
    'write /c/7/vfs/swift/box/a: no space left on device',
  ])('says nothing of the kind otherwise: %s', (line) => expect(failedWriteOf(line, start)).toBeUndefined())

  it.each(['2026/11/23 02:41:34.249435 ', '2026/11/23 02:41:34 '])('has its message after the time: %s', (time) => {
    expect(lastLine(`first\n${time}ERROR : : error listing: directory not found.\n`)).toBe(
      ': error listing: directory not found',
    )
    expect(lastLine(`${time}Failed to cat with 2 errors`)).toBe('Failed to cat with 2 errors')
    expect(portOf(`${time}NOTICE: Serving remote control on http://127.0.0.1:55999/\n`)).toBe(55_999)
  })
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
  const complete = (size: number) => JSON.stringify({ Size: size, Rs: [{ Pos: 0, Size: size }], Dirty: true })

  it('was written again where it grew, or was written later, and has no hole', async () => {
    const nowMs = Date.now()
    const seen = await write(6, nowMs / 1_000, '')
    const again = async (bytes: number, secondsLater: number, metadata = complete(bytes)) =>
      isWrittenAgain(seen, await write(bytes, nowMs / 1_000 + secondsLater, metadata), nowMs)
    expect(await again(6, 0)).toBe(false)
    expect(await again(6, 0.004)).toBe(false)
    expect(await again(6, 0.006)).toBe(true)
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

  describe('on tmpfs', () => {
    const block = 4_096
    let path: string
    beforeEach(() => {
      rmSync(cache, { recursive: true })
      cache = mkdtempSync('/dev/shm/roost-failed-')
      for (const folder of ['vfs', 'vfsMeta']) mkdirSync(join(cache, folder, 'swift/box'), { recursive: true })
      path = join(cache, 'vfs', key)
      // rclone counts the gap as written.
      writeFileSync(join(cache, 'vfsMeta', key), complete(3 * block))
    })

    const writeBlocks = (flags: 'w' | 'r+', positions: readonly number[]) => {
      const fd = openSync(path, flags)
      for (const position of positions) writeSync(fd, Buffer.alloc(block, 1), 0, block, position * block)
      closeSync(fd)
    }
    const read = async () => {
      const state = await readFileState(cache, key)
      if (state === undefined) throw new Error('The file is not there.')
      return state
    }

    it('was not written again where its client continued past the failed write', async () => {
      writeBlocks('w', [0])
      const seen = await read()
      const failedAtMs = seen.writtenAtMs - 1_000
      writeBlocks('r+', [2])
      expect(await read()).toMatchObject({ bytes: 3 * block, hasHole: false, isSparse: true })
      expect(isWrittenAgain(seen, await read(), failedAtMs)).toBe(false)
      writeBlocks('r+', [1])
      expect(isWrittenAgain(seen, await read(), failedAtMs)).toBe(true)
    })

    it('was written again where a sparse file replaced it, or its failure is found late', async () => {
      writeBlocks('w', [0, 2])
      const seen = await read()
      expect(isWrittenAgain(seen, seen, seen.changedAtMs - 120_000)).toBe(true)
      expect(isWrittenAgain({ ...seen, inode: seen.inode + 1 }, seen, seen.changedAtMs)).toBe(true)
    })
  })

  it('keeps its name where its failure is found late', async () => {
    const seen = await write(6, 1_000, complete(6))
    expect(isWrittenAgain(seen, seen, Date.now() - 120_000)).toBe(true)
  })

  it('has another name in its folder, of at most 255 bytes', () => {
    expect(incompletePath('a/b.bin', 7_900)).toBe('a/b.bin.incomplete-7')
    expect(incompletePath('b', 7_900)).toBe('b.incomplete-7')
    const long = incompletePath(`a/${'ä'.repeat(127)}`, 1_700_000_000_000)
    expect(long).toBe(`a/${'ä'.repeat(116)}.incomplete-1700000000`)
  })
})
