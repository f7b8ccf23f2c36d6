import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { systemClock } from '@roost/runtime'
import { type StartHelper, startHelper } from '../../machine/helper.js'
import { startCacheSync } from './cache-sync.js'

const patience = { timeout: 45_000, interval: 20 }

let dir: string
let asked: number
let warnings: string[]
const start: StartHelper = (file, args) => {
  const helper = startHelper(file, args)
  return {
    ...helper,
    ask(deadlineMs) {
      asked += 1
      return helper.ask(deadlineMs)
    },
  }
}
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'roost-sync-'))
  asked = 0
  warnings = []
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const open = (cacheDirectory: string, isDirty: () => boolean) => {
  const quiet = () => {}
  const log = { debug: quiet, info: quiet, warn: (text: string) => void warnings.push(text), error: quiet }
  return startCacheSync({ isDirty, cacheDirectory, start, clock: systemClock, log })
}

it('writes the cache to its disk again and again while something is dirty, and never else', async () => {
  let isDirty = false
  const sync = open(dir, () => isDirty)
  await new Promise((resolve) => setTimeout(resolve, 1_200))
  expect(asked).toBe(0)
  isDirty = true
  await vi.waitUntil(() => asked >= 2, patience)
  await sync.stop()
  expect(warnings).toEqual([])
})

it('reports once that the cache cannot be written to its disk', async () => {
  const sync = open(join(dir, 'missing'), () => true)
  await vi.waitUntil(() => asked >= 3, patience)
  await sync.stop()
  expect(warnings).toHaveLength(1)
})
