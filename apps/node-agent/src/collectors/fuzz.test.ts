import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Collector, CollectorHost } from './engine/collector.js'
import { createCollectors } from './index.js'
import { Rates } from './engine/rates.js'

const fixture = join(import.meta.dirname, 'fixtures/linux-6.18')
const collectors = createCollectors({ recon: { directory: '/var/cache/swift', now: Date.now } })
const numRuns = process.env.ROOST_TEST_LONG ? 10_000 : 200

/** A machine whose files are those of the fixture after `damage`, and whose folders list what is in the fixture. */
function damaged(look: 'first' | 'second', damage: (text: string) => string): CollectorHost {
  const machine = {
    read(path: string) {
      const file = join(fixture, look, path)
      return existsSync(file) ? damage(readFileSync(file, 'latin1')) : undefined
    },
    modifiedAt: () => 0,
    list: (path: string) =>
      ({ '/proc': ['1', '2'], '/sys/fs/xfs': ['loop0'], '/proc/pressure': ['cpu', 'io'] })[path] ?? [],
  }
  return { machine, filesystems: { read: async () => [] } }
}

const garbage = fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[ 0-9a-z:=\n\t.()-]{0,200}$/))
/** Cuts a piece out and puts something else there. */
const splice = fc
  .record({ at: fc.double({ min: 0, max: 1, noNaN: true }), length: fc.nat(200), text: garbage })
  .map(({ at, length, text }) => (file: string) => {
    const start = Math.floor(at * file.length)
    return file.slice(0, start) + text + file.slice(start + length)
  })
const replaced = garbage.map((text) => () => text)

async function rowsOf(collector: Collector, first: CollectorHost, second: CollectorHost) {
  const rates = new Rates()
  rates.valuesOf(await collector.read(first), 0)
  const measurements = await collector.read(second)
  const values = rates.valuesOf(measurements, 10_000)
  return measurements.map(({ name, per }, i) => ({ name, counts: per !== undefined, value: values[i] ?? 0 }))
}

describe.each(collectors)('$name', (collector) => {
  it(
    'reads anything without a crash, and never gives a negative rate or a name that cannot be asked for',
    { timeout: 300_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.oneof(splice, replaced), fc.oneof(splice, replaced), async (one, other) => {
          const rows = await rowsOf(collector, damaged('first', one), damaged('second', other))
          expect(rows.filter(({ name }) => !/^[^\s,*\p{Cc}]+$/u.test(name))).toEqual([])
          expect(rows.filter(({ counts, value }) => counts && value < 0)).toEqual([])
        }),
        { numRuns },
      )
    },
  )

  it('leaves out what the machine does not tell', async () => {
    const nothing = {
      machine: { read: () => undefined, list: () => [], modifiedAt: () => undefined },
      filesystems: { read: async () => [] },
    }
    const names = (await collector.read(nothing)).map(({ name }) => name)
    expect(names.filter((name) => !name.startsWith('roost.agent.'))).toEqual([])
  })
})
