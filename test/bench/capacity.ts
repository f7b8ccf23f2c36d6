import { createDeviceColumns } from '@roost/capacity-core'
import { cpuMsOf } from './measure.js'
import { atMost, row } from './report.js'
import type { Row } from './report.js'

const peers = {
  1000: { 'C -O3': 0.004, numpy: 0.12, DuckDB: 1.2, 'Python as swift-recon': 0.23, 'Node objects and sort': 0.22 },
  100_000: { 'C -O3': 0.92, numpy: 8.1, DuckDB: 6.1, 'Python as swift-recon': 38, 'Node objects and sort': 47 },
  1_000_000: { 'C -O3': 9, numpy: 79, DuckDB: 49, 'Python as swift-recon': 585, 'Node objects and sort': 561 },
} as const

const cases = [
  { devices: 1000, runs: 3000, limit: 0.015 },
  { devices: 100_000, runs: 100, limit: 1.8 },
  { devices: 1_000_000, runs: 20, limit: 18 },
] as const

/** Capacity by set of policies over typed columns. */
export async function benchCapacity(): Promise<readonly Row[]> {
  return cases.map(({ devices, runs, limit }) => {
    const columns = columnsOf(devices)
    const cpuMs = cpuMsOf(runs, () => columns.capacityByPolicySet())
    return row(`${devices.toLocaleString('en')} devices`, cpuMs, 'ms CPU', atMost(limit), peers[devices])
  })
}

const sets = [[0], [1], [0, 1], [2]]

function columnsOf(count: number) {
  const columns = createDeviceColumns(count)
  const totalBytes = 4e12
  for (let i = 0; i < count; i++) {
    const freeBytes = Math.floor(totalBytes * (0.3 + 0.4 * Math.random()))
    const space = { totalBytes, freeBytes, availableBytes: Math.floor(freeBytes * 0.95) }
    columns.add({ policies: sets[i % sets.length] ?? [], figures: space })
  }
  return columns
}
