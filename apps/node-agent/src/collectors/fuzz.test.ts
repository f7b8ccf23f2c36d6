import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Collector, CollectorHost } from './engine/collector.js'
import { Rates } from './engine/rates.js'
import { createCollectors } from './index.js'
import { testHost } from './testing/test-host.js'
import { testSources } from './testing/test-sources.js'

const fixtures = join(import.meta.dirname, 'fixtures')
const machines = readdirSync(fixtures)
const collectors = createCollectors(testSources)
const numRuns = process.env.ROOST_TEST_LONG ? 10_000 : 200

type Edit = (text: string) => string

const garbage = fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^[ 0-9a-z:=\n\t.()-]{0,200}$/))
/** Cuts a piece out and puts something else there. */
const splice = fc
  .record({ at: fc.double({ min: 0, max: 1, noNaN: true }), length: fc.nat(200), text: garbage })
  .map(({ at, length, text }): Edit => (file) => {
    const start = Math.floor(at * file.length)
    return file.slice(0, start) + text + file.slice(start + length)
  })
const replaced = garbage.map(
  (text): Edit =>
    () =>
      text,
)
const damage = fc.oneof(splice, replaced)

/** Answers the files of a fixture's state after `edit`; its folders list what the fixture has. */
function damaged(machine: string, state: 'first' | 'second', edit: Edit): CollectorHost {
  return testHost(join(fixtures, machine, state), { edit })
}

async function rowsOf(collector: Collector, first: CollectorHost, second: CollectorHost) {
  const rates = new Rates()
  rates.valuesOf(await collector.read(first), 0)
  const measurements = await collector.read(second)
  const values = rates.valuesOf(measurements, 10_000)
  return measurements.map(({ name, per }, i) => ({ name, counts: per !== undefined, value: values[i] ?? 0 }))
}

describe.each(collectors)('$name', (collector) => {
  it('reads any text without a crash, a negative rate or an invalid name', { timeout: 300_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...machines), damage, damage, async (machine, one, other) => {
        const rows = await rowsOf(collector, damaged(machine, 'first', one), damaged(machine, 'second', other))
        expect(rows.filter(({ name }) => !/^[^\s,*\p{Cc}]+$/u.test(name))).toEqual([])
        expect(rows.filter(({ counts, value }) => counts && value < 0)).toEqual([])
      }),
      { numRuns },
    )
  })

  it('leaves out everything on an empty machine', async () => {
    const names = (await collector.read(testHost({}))).map(({ name }) => name)
    expect(names.filter((name) => !name.startsWith('roost.agent.'))).toEqual([])
  })
})
