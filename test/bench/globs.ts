import { createCatalogueTable } from '@roost/control-plane/dist/metrics/catalogue.js'
import { compileQuery } from '@roost/control-plane/dist/metrics/query.js'
import { select } from '@roost/control-plane/dist/metrics/selection.js'
import { cpuMsOf } from './measure.js'
import { atMost, row } from './report.js'
import type { Row } from './report.js'

const many = (pattern: (i: number) => string) => Array.from({ length: 64 }, (_, i) => pattern(i))

const cases = [
  { what: '64 × *a*a…*aX', patterns: many((i) => `${'*a'.repeat(15)}X${i}`) },
  { what: '64 × *a*a…*X*', patterns: many((i) => `${'*a'.repeat(14)}*X${i}*`) },
  { what: '64 × *d*i*s*k…*', patterns: many((i) => `*${'diskoctets'.split('').join('*')}*z${i}*`) },
  { what: '64 × disk.sdN.*', patterns: many((i) => `disk.sd${i}.*`) },
]

/** Matching alone; a service does it in slices, so that other requests are served between them. */
export async function benchGlobs(): Promise<readonly Row[]> {
  const names = createCatalogueTable().acquire(
    Array.from({ length: 20_000 }, (_, i) => ({
      name: `disk.sd${i % 97}.disk_octets.read.${i}`,
      unit: 'bytes/s',
      aggregation: 'sum' as const,
    })),
  )
  return cases.map(({ what, patterns }) => {
    const query = compileQuery(patterns)
    return row(
      what,
      cpuMsOf(10, () => select(names, query)),
      'ms CPU',
      atMost(50),
    )
  })
}
