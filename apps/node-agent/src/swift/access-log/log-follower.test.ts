import {
  appendFileSync,
  copyFileSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { LogFollower } from './log-follower.js'

let dir: string
let path: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'roost-log-'))
  path = join(dir, 'proxy.log')
})
afterEach(() => rmSync(dir, { recursive: true }))

/** A reader whose process may be killed: the next one begins with the saved state. */
class Reader {
  readonly lines: string[] = []
  gaps = 0
  #saved: { readonly state: LogFollower['state']; readonly lines: number } | null = null
  #follower = this.#open()

  #open(): LogFollower {
    return new LogFollower({
      path,
      saved: this.#saved?.state ?? null,
      onLine: (line) => this.lines.push(line),
      onGap: () => this.gaps++,
    })
  }

  read(): Promise<string> {
    return this.#follower.read(Date.now())
  }

  save(): void {
    this.#saved = { state: structuredClone(this.#follower.state), lines: this.lines.length }
  }

  /** Sums and positions are saved together: lines after that are read again. */
  kill(): void {
    this.lines.length = this.#saved?.lines ?? 0
    this.#follower = this.#open()
  }
}

let count = 1_000
const write = (lines = 1): string[] => {
  const written = Array.from({ length: lines }, () => `line ${count++} ${'x'.repeat(40)}`)
  appendFileSync(path, written.map((line) => `${line}\n`).join(''))
  return written
}
const pack = (name: string): void => {
  writeFileSync(join(dir, `${name}.gz`), gzipSync(readFileSync(join(dir, name))))
  rmSync(join(dir, name))
}
const rename = (): void => {
  for (let i = 8; i > 0; i--)
    for (const end of ['', '.gz'])
      try {
        renameSync(`${path}.${i}${end}`, `${path}.${i + 1}${end}`)
      } catch {
        // The file is missing.
      }
  renameSync(path, `${path}.1`)
}

describe('the follower of a log', () => {
  it('reads each line once, as it is completed', async () => {
    const reader = new Reader()
    const first = write(3)
    appendFileSync(path, 'half a l')
    await reader.read()
    expect(reader.lines).toEqual(first)
    appendFileSync(path, 'ine\n')
    await reader.read()
    await reader.read()
    expect(reader.lines).toEqual([...first, 'half a line'])
  })

  it('finishes a renamed file, and the lines that its daemon still writes to it', async () => {
    const reader = new Reader()
    const lines = write(2)
    await reader.read()
    lines.push(...write(2))
    rename()
    lines.push(...write(2))
    await reader.read()
    expect(reader.lines).toEqual(lines)
    appendFileSync(`${path}.1`, 'late\n')
    await reader.read()
    expect(reader.lines).toEqual([...lines, 'late'])
    expect(reader.gaps).toBe(0)
  })

  it('finishes a file that was copied and truncated', async () => {
    const reader = new Reader()
    const lines = write(5)
    await reader.read()
    lines.push(...write(2))
    copyFileSync(path, `${path}.1`)
    truncateSync(path)
    lines.push(...write(9))
    await reader.read()
    expect([reader.lines, reader.gaps]).toEqual([lines, 0])
  })

  it('finds files that were renamed and compressed several times since the last round', async () => {
    const reader = new Reader()
    const lines = write(3)
    await reader.read()
    reader.save()
    for (let i = 0; i < 3; i++) {
      lines.push(...write(2))
      rename()
      if (i < 2) pack('proxy.log.1')
    }
    lines.push(...write(1))
    reader.kill()
    await reader.read()
    expect([reader.lines.toSorted(), reader.gaps]).toEqual([lines, 0])
  })

  it('reports a gap when the file that it read was removed', async () => {
    const reader = new Reader()
    write(3)
    await reader.read()
    rmSync(path)
    const after = write(2)
    await reader.read()
    expect([reader.lines.slice(3), reader.gaps]).toEqual([after, 1])
  })

  it('begins with the current file only', async () => {
    write(3)
    rename()
    const lines = write(2)
    const reader = new Reader()
    await reader.read()
    expect(reader.lines).toEqual(lines)
  })

  it('ignores a copy of the log beside it', async () => {
    const reader = new Reader()
    const lines = write(3)
    await reader.read()
    copyFileSync(path, `${path}.bak`)
    rename()
    lines.push(...write(2))
    copyFileSync(path, `${path}.new`)
    await reader.read()
    await reader.read()
    expect([reader.lines.toSorted(), reader.gaps]).toEqual([lines.toSorted(), 0])
  })

  it('reports a missing log', async () => {
    expect(await new Reader().read()).toBe('missing')
  })

  it('reads each line once, after any sequence of events', async () => {
    const step = fc.constantFrom('write', 'write', 'read', 'read', 'save', 'kill', 'rename', 'copytruncate', 'pack')
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
        for (const name of ['proxy.log', ...Array.from({ length: 12 }, (_, i) => `proxy.log.${i}`)])
          for (const end of ['', '.gz']) rmSync(join(dir, `${name}${end}`), { force: true })
        const lines = write(1)
        const reader = new Reader()
        await reader.read()
        reader.save()
        const copies = { rename, pack: () => packNewest(), copytruncate: () => copyAndTruncate() }
        for (const step of steps) {
          if (step === 'write') lines.push(...write(2))
          else if (step === 'read') await reader.read()
          else if (step === 'save') reader.save()
          else if (step === 'kill') reader.kill()
          else if (readFileSync(path, { flag: 'a+' }).length > 0) copies[step]()
        }
        lines.push(...write(1))
        await reader.read()
        expect(reader.lines.toSorted()).toEqual(lines.toSorted())
      }),
      { numRuns: 60 },
    )
  })
})

function packNewest(): void {
  try {
    pack('proxy.log.1')
  } catch {
    // The file is compressed or missing.
  }
}

function copyAndTruncate(): void {
  const bytes = readFileSync(path)
  rename()
  writeFileSync(path, '')
  writeFileSync(`${path}.1`, bytes)
}
