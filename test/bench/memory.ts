import { encodeMetricFrame } from '@roost/api-types/agent'
import { createLatestValues } from '@roost/control-plane/dist/metrics/latest-values.js'
import { systemClock } from '@roost/runtime'
import { usedMb } from './measure.js'
import { atMost, row } from './report.js'
import type { Row } from './report.js'
import { metricNames, sharedNames } from './stage.js'

const nodes = 1000
const peers = {
  'Graphite carbon': 84,
  'Prometheus scrape': 232,
  'VictoriaMetrics at 80k': 128,
  'VictoriaMetrics at 800k': 43,
  'Map by name': 39,
}

/** What the store of latest values holds, for names that the nodes share and for names that they do not. */
export async function benchMemory(): Promise<readonly Row[]> {
  const shared = await memoryOf(() => sharedNames)
  const distinct = await memoryOf((node) => metricNames(`sw.n${String(node).padStart(5, '0')}.disk`))
  return [
    row('per 100,000 series, names shared by the nodes', shared, 'MB', atMost(10), peers),
    row('per 100,000 series, every name of one node alone', distinct, 'MB', null, peers),
  ]
}

async function memoryOf(namesOf: (node: number) => readonly string[]): Promise<number> {
  const before = await usedMb()
  const latest = createLatestValues(systemClock)
  for (let node = 1; node <= nodes; node++) {
    // Each agent's names come in a message of its own: no two share a string.
    const message = JSON.stringify(namesOf(node).map((name) => ({ name, unit: 'count', aggregation: 'sum' })))
    latest.storeCatalogue(node, { id: 1, metrics: JSON.parse(message) as [] })
    const values = Float64Array.from(sharedNames.keys())
    latest.storeFrame(node, encodeMetricFrame({ catalogue: 1, sequence: 1n, time: 1, values }))
  }
  const used = (await usedMb()) - before
  return used / ((latest.size * sharedNames.length) / 100_000)
}
