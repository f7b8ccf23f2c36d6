import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Collector } from './engine/collector.js'
import { Rates } from './engine/rates.js'
import { createCollectors } from './index.js'
import { testHost } from './testing/test-host.js'
import { testSources } from './testing/test-sources.js'

const fixtures = join(import.meta.dirname, 'fixtures')
const document = readFileSync(join(import.meta.dirname, '../../../../docs/add/collector.md'), 'utf8')
const families = document.slice(document.indexOf('## Families'))
const intervalMs = 10_000
/** Collectors that read something else than files of the machine; each has a test of its own. */
const withoutFiles = new Set(['agent', 'recon-http', 'shares', 'smart', 'statsd'])
const collectors = createCollectors(testSources).filter(({ name }) => !withoutFiles.has(name))

/** Each folder has two states of a machine, 10 s apart, and the expected values of the second. */
describe.each(readdirSync(fixtures))('%s', (fixture) => {
  const first = testHost(join(fixtures, fixture, 'first'))
  const second = testHost(join(fixtures, fixture, 'second'))
  const expectedFile = (collector: string): string => join(fixtures, fixture, 'expected', `${collector}.txt`)

  it.each(collectors)('is read by $name', async (collector) => {
    requireExpected(expectedFile(collector.name), fixture, collector.name)
    const rates = new Rates()
    rates.valuesOf(await collector.read(first), 0)
    const measurements = await collector.read(second)
    const values = rates.valuesOf(measurements, intervalMs)
    const lines = measurements.map(
      ({ name, unit }, i) => `${name} ${Number((values[i] ?? 0).toPrecision(12))} ${unit}\n`,
    )
    await expect(lines.toSorted().join('')).toMatchFileSnapshot(expectedFile(collector.name))
  })

  it('has expected values of collectors in the list only', () => {
    const known = new Set(collectors.map(({ name }) => `${name}.txt`))
    const unknown = readdirSync(join(fixtures, fixture, 'expected')).filter((file) => !known.has(file))
    expect(unknown, `Add the collector to collectors/index.ts, or remove these files of ${fixture}/expected`).toEqual(
      [],
    )
  })
})

/** Returns the first parts of the names that a collector has in all fixtures. */
async function prefixesOf(collector: Collector): Promise<ReadonlySet<string>> {
  const hosts = readdirSync(fixtures).map((fixture) => testHost(join(fixtures, fixture, 'second')))
  const readings = await Promise.all(hosts.map(async (host) => collector.read(host)))
  return new Set(readings.flat().map(({ name }) => name.replace(/\..*/s, '')))
}

it.each(collectors)('$name has values in a fixture, and its names are in the documents', async (collector) => {
  const { name } = collector
  const prefixes = await prefixesOf(collector)
  expect(prefixes.size, `No fixture has a file that ${name} reads: add it below fixtures/<machine>/`).toBeGreaterThan(0)
  const unknown = [...prefixes].filter(
    (prefix) => !families.includes(`\`${prefix}.`) && !families.includes(`\`${prefix}\``),
  )
  expect(unknown, 'Add a line for these names to the table in docs/add/collector.md').toEqual([])
})

/** Without this, Vitest would write a forgotten file on a developer's machine. */
function requireExpected(file: string, fixture: string, collector: string): void {
  const isUpdate = expect.getState().snapshotState.snapshotUpdateState === 'all'
  if (isUpdate || existsSync(file)) return
  throw new Error(
    `${fixture}/expected/${collector}.txt is missing. Run npx vitest run apps/node-agent/src/collectors --update, ` +
      'then read each line of the new file.',
  )
}
