import { mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { runCommand } from '../../../machine/run-command.js'
import { TestClock } from '@roost/testing'
import { createCacheScan } from './cache-scan.js'
import { DirtyFiles } from './dirty-files.js'
import type { WatchBudget } from './folder-watches.js'

/** For what the kernel reports at once on a machine at rest. */
const patience = { timeout: 45_000 }

let cache: string
let clock: TestClock
let files: DirtyFiles
let renames: string[]
beforeEach(() => {
  cache = mkdtempSync(join(tmpdir(), 'roost-cache-'))
  clock = new TestClock()
  renames = []
})
afterEach(() => {
  files.close()
  rmSync(cache, { recursive: true })
})

/** As rclone writes it. */
const meta = (isDirty: boolean) => `{\n\t"ModTime": "2026-11-22T23:13:45.6Z",\n\t"Size": 3,\n\t"Dirty": ${isDirty}\n}\n`

function write(name: string, isDirty: boolean, content = 'abc'): void {
  for (const [folder, text] of [
    ['vfs', content],
    ['vfsMeta', meta(isDirty)],
  ] as const) {
    const path = join(cache, folder, 'swift/docs', name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
}

function rename(before: string, after: string): void {
  for (const folder of ['vfs', 'vfsMeta'])
    renameSync(join(cache, folder, 'swift/docs', before), join(cache, folder, 'swift/docs', after))
}

function remove(name: string): void {
  for (const folder of ['vfs', 'vfsMeta']) rmSync(join(cache, folder, 'swift/docs', name), { recursive: true })
}

function open(budget: WatchBudget = { left: 100 }): WatchBudget {
  files = new DirtyFiles({
    cache,
    scan: createCacheScan(runCommand),
    budget,
    clock,
    onAppear: (file, before) => before !== undefined && renames.push(`${before.key} > ${file.key}`),
  })
  return budget
}

async function names(): Promise<readonly string[]> {
  await files.refresh()
  return files
    .list()
    .map(({ key, bytes }) => `${key.replace('swift/docs/', '')} ${bytes}`)
    .toSorted()
}

describe('dirty files', () => {
  it('are found at the start, with any name', async () => {
    write('a/clean', false)
    write('a/dirty', true, 'abcde')
    write('a/odd \n"name" é', true)
    open()
    expect(await names()).toEqual(['a/dirty 5', 'a/odd \n"name" é 3'])
  })

  it('are followed without another scan: written, uploaded, renamed, removed, in new folders', async () => {
    open()
    expect(await names()).toEqual([])
    write('one', true)
    await clock.pass(600_000)
    expect(await names()).toEqual(['one 3'])
    write('new/deep/two', true)
    write('three', true)
    await expect.poll(names, patience).toEqual(['new/deep/two 3', 'one 3', 'three 3'])
    write('new/deep/two', true, 'longer')
    await expect.poll(names, patience).toEqual(['new/deep/two 6', 'one 3', 'three 3'])
    write('one', false)
    remove('three')
    await expect.poll(names, patience).toEqual(['new/deep/two 6'])
    rename('new/deep/two', 'new/four')
    await expect.poll(names, patience).toEqual(['new/four 6'])
    expect(renames).toEqual(['swift/docs/new/deep/two > swift/docs/new/four'])
    rename('new', 'old')
    await expect.poll(names, patience).toEqual(['old/four 6'])
    write('old/five', true)
    await expect.poll(names, patience).toEqual(['old/five 3', 'old/four 6'])
    remove('old')
    await expect.poll(names, patience).toEqual([])
    mkdirSync(join(cache, 'vfsMeta/swift/docs/old'))
    write('old/six', true)
    await expect.poll(names, patience).toEqual(['old/six 3'])
  })

  it('are known by their first change since they had their name', async () => {
    open()
    write('one', true)
    await expect.poll(names, patience).toEqual(['one 3'])
    const first = files.list()[0]?.changedAtMs ?? 0
    write('one', true, 'longer')
    await expect.poll(names, patience).toEqual(['one 6'])
    expect(files.list()[0]?.dirtySinceMs).toBe(first)
    rename('one', 'two')
    await expect.poll(names, patience).toEqual(['two 6'])
    expect(files.list()[0]?.dirtySinceMs).toBeGreaterThan(first)
  })

  it('are not changed by a reader, after which rclone sets the same time again', async () => {
    write('one', true)
    const data = join(cache, 'vfs/swift/docs/one')
    utimesSync(data, 1, 1)
    open()
    await names()
    const first = files.list()[0]?.changedAtMs ?? 0
    const touch = (seconds: number) => {
      utimesSync(data, seconds, seconds)
      writeFileSync(join(cache, 'vfsMeta/swift/docs/one'), meta(true))
    }
    await vi.waitUntil(() => Date.now() > first + 50, patience)
    touch(1)
    await clock.pass(600_000)
    await names()
    expect(files.list()[0]?.changedAtMs).toBe(first)
    touch(2)
    await clock.pass(600_000)
    await names()
    expect(files.list()[0]?.changedAtMs).toBeGreaterThan(first)
  })

  it('are counted by scans alone where there are not enough watches', async () => {
    write('a/one', true)
    write('b/two', false)
    const budget = open({ left: 3 })
    expect(await names()).toEqual(['a/one 3'])
    expect(files.isScannedOnly).toBe(true)
    write('b/two', true)
    await clock.pass(600_000)
    expect(await names()).toEqual(['a/one 3', 'b/two 3'])
    files.close()
    expect(budget.left).toBe(3)
  })

  it('are those of before while their metadata are being written', async () => {
    write('one', true)
    open()
    expect(await names()).toEqual(['one 3'])
    writeFileSync(join(cache, 'vfsMeta/swift/docs/one'), '{\n\t"Mod')
    await names()
    expect(await names()).toEqual(['one 3'])
    write('one', false)
    await expect.poll(names, patience).toEqual([])
  })
})
