import { statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { runCommand } from '../../machine/run-command.js'
import { createCacheDisk } from './cache-disk.js'

// The built program, as the agent starts it.
const program = fileURLToPath(new URL('../../../dist/mounts/upkeep/cache-disk-main.js', import.meta.url))

it('reads the disk below a folder, also of one that is not there yet', async () => {
  const { bsize, blocks } = statfsSync(tmpdir())
  const disk = createCacheDisk(runCommand, join(tmpdir(), 'roost-no-such-cache/deep'), program)
  const { totalBytes, availableBytes } = await disk.read()
  expect(totalBytes).toBe(bsize * blocks)
  expect(availableBytes).toBeGreaterThan(0)
  expect(availableBytes).toBeLessThanOrEqual(totalBytes)
})

it('says that the disk could not be read', async () => {
  const disk = createCacheDisk(runCommand, '/', '/no/such/program.js')
  await expect(disk.read()).rejects.toThrow('The disk of the cache could not be read')
})
