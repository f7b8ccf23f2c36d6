import { mkdtempSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createDiskReader } from './disk-space.js'

// The built program, as both programs start it.
const program = fileURLToPath(new URL('../dist/disk-space-main.js', import.meta.url))

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'roost-disk-'))
})
afterEach(() => rmSync(dir, { recursive: true }))

/** A `df` that hangs, with a process of its own. */
function hang(): string {
  const script = `#!/bin/sh\necho $$ > "${dir}/pid"; sleep 600 & echo $! > "${dir}/child"; wait\n`
  writeFileSync(join(dir, 'df'), script, { mode: 0o755 })
  return `${dir}:/usr/bin:/bin`
}

const isRunning = (file: string) => {
  try {
    return !readFileSync(`/proc/${readFileSync(join(dir, file), 'utf8').trim()}/stat`, 'utf8').includes(') Z ')
  } catch {
    return false
  }
}

describe('a disk', () => {
  it('is read below a folder, also of one that does not exist yet', async () => {
    const { bsize, blocks } = statfsSync(dir)
    const { totalBytes, availableBytes } = await createDiskReader(join(dir, 'no/such/folder'), { program }).read()
    expect(totalBytes).toBe(bsize * blocks)
    expect(availableBytes).toBeGreaterThan(0)
    expect(availableBytes).toBeLessThanOrEqual(totalBytes)
  })

  it('is read once for callers at the same time', async () => {
    const reader = createDiskReader(dir, { program })
    const [one, other] = [reader.read(), reader.read()]
    expect(other).toBe(one)
    await one
  })

  it('that does not answer fails at the deadline, and its process ends with its children', async () => {
    const reader = createDiskReader(dir, { program, deadlineMs: 2_000, searchPath: hang() })
    await expect(reader.read()).rejects.toThrow(`The disk of ${dir} could not be read: it did not answer within 2 s.`)
    await vi.waitFor(() => expect(['pid', 'child'].map(isRunning)).toEqual([false, false]))
    await vi.waitFor(() => expect(reader.read()).rejects.toThrow('it did not answer'), { timeout: 20_000 })
  })

  it('that cannot be read is an error with its reason', async () => {
    writeFileSync(join(dir, 'df'), '#!/bin/sh\necho "df: wrong" >&2; exit 1\n', { mode: 0o755 })
    const failing = createDiskReader(dir, { program, searchPath: `${dir}:/bin` })
    await expect(failing.read()).rejects.toThrow(/could not be read: Command failed: df /)
    const missing = createDiskReader(dir, { program: '/no/such/program.js' })
    await expect(missing.read()).rejects.toThrow(/could not be read: Cannot find module/)
  })

  it('is not waited for at the end', async () => {
    const reader = createDiskReader(dir, { program, searchPath: hang() })
    const reading = reader.read()
    reader.close()
    await expect(reading).rejects.toThrow('was stopped')
  })
})
