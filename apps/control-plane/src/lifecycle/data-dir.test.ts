import type { DiskSpace } from '@roost/runtime'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Log } from './log.js'
import { watchDataDir } from './data-dir.js'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

it('the disk of the data directory is warned of once, before it is full', async () => {
  let space: DiskSpace = { totalBytes: 100e9, availableBytes: 4e9 }
  const lines: string[] = []
  const add = (level: string) => (_fields: object, message: string) => void lines.push(`${level}: ${message}`)
  const log = { warn: add('warn'), info: add('info') } as unknown as Log
  const watch = watchDataDir('/var/lib/roost', log, { read: async () => space, close: () => {} })
  await vi.advanceTimersByTimeAsync(180_000)
  expect(lines).toEqual(['warn: the disk of the data directory is nearly full: free some disk space'])
  expect(watch.availableBytes).toBe(4e9)
  space = { ...space, availableBytes: 50e9 }
  await vi.advanceTimersByTimeAsync(60_000)
  expect(lines.at(-1)).toBe('info: the disk of the data directory has enough space again')
  await watch.stop()
})
