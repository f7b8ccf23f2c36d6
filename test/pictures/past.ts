import { createDayStore } from '@roost/control-plane/dist/capacity/day-store.js'
import { insertRaw } from '@roost/control-plane/dist/history/storage/chunk-store.js'
import { createColumnStore } from '@roost/control-plane/dist/history/storage/columns.js'
import { ownerKinds } from '@roost/control-plane/dist/history/storage/levels.js'
import type { Database } from '@roost/database'
import { encodeChunk } from '@roost/history'
import { definitions, valuesAt } from './metrics.js'

const dayMs = 86_400_000
const windowMs = 300_000
const stepMs = 10_000
const pastDays = 89

/** What a chart of the cluster adds up: more than one node has. */
const nodesInSum = 8

/** Two thirds of the disks of the machines are of the first policy. */
const sets = [
  { policySet: '0', rawBytes: 864e12, usedBytes: 575e12, growth: 4.5e12 },
  { policySet: '1', rawBytes: 432e12, usedBytes: 158e12, growth: 0.4e12 },
] as const

/** Writes what a cluster has recorded of a day of metrics and of three months of capacity, as it would have done meanwhile. */
export async function writePast(database: Database, clusterId: number): Promise<void> {
  await writeMetrics(database, clusterId)
  await writeDays(database, clusterId)
}

async function writeMetrics(database: Database, clusterId: number): Promise<void> {
  const { id: columnsId } = await createColumnStore(database).store(definitions)
  const now = Math.floor(Date.now() / windowMs) * windowMs
  for (let startMs = now - dayMs; startMs < now; startMs += windowMs) {
    const times = Float64Array.from({ length: windowMs / stepMs }, (_, i) => startMs + i * stepMs)
    const rows = Array.from(times, (time) => valuesAt(time, 0))
    const columns = definitions.map(({ aggregation }, column) =>
      Float64Array.from(rows, (row) => (row[column] ?? 0) * (aggregation === 'sum' ? nodesInSum : 1)),
    )
    const chunk = encodeChunk({ times, columns, mantissa: 13 })
    await insertRaw(database, {
      owner: { kind: ownerKinds.cluster, id: clusterId },
      startMs,
      shiftMs: 0,
      columnsId,
      ...chunk,
    })
  }
}

/** Both sets of policies grow by a steady amount, with quieter weekends. */
async function writeDays(database: Database, clusterId: number): Promise<void> {
  const store = createDayStore(database)
  const today = Math.floor(Date.now() / dayMs)
  const used = sets.map(({ usedBytes, growth }) => usedBytes - growth * pastDays)
  for (let day = today - pastDays; day < today; day += 1) {
    // 1970-01-01 was a Thursday.
    const isWeekend = [2, 3].includes(day % 7)
    const rows = sets.map(({ policySet, rawBytes, growth }, i) => {
      const usedBytes = Math.round((used[i] ?? 0) + (isWeekend ? growth / 2 : growth))
      used[i] = usedBytes
      const pct = (usedBytes / rawBytes) * 100
      const more = { freeBytes: rawBytes - usedBytes, fullestPct: pct + 10, pct95: pct + 7 }
      return { clusterId, policySet, rawBytes, usedBytes, ...more }
    })
    await store.saveSets(day, rows)
  }
}
