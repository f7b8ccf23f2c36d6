import { encodeChunk } from '@roost/history'
import type { ChunkRow } from './storage/chunk-store.js'
import type { ColumnStore } from './storage/columns.js'
import { ownerKinds, raw } from './storage/levels.js'
import type { LatestSample } from './answers/series.js'

export interface ClusterRecorderOptions {
  readonly clusters: () => Iterable<number>
  /** The values that a poll of the cluster has now. */
  readonly latest: (clusterId: number) => Promise<readonly Pick<LatestSample, 'metric_name' | 'value'>[]>
  readonly columns: Pick<ColumnStore, 'store'>
  readonly insert: (row: ChunkRow) => Promise<void>
  readonly now: () => number
}

/** Records what polls of the clusters have, so that a chart of a cluster costs as much as one of a node. */
export interface ClusterRecorder {
  /** Reads the values of each cluster, and stores the windows that are complete. */
  sample(): Promise<void>
  /** Stores the windows that are not complete, before the end. */
  flush(): Promise<void>
}

interface Window {
  readonly times: number[]
  readonly columns: Map<string, Float64Array>
}

const readings = 30
/** An aggregate that is no integer is rounded like the values of agents. */
const mantissa = 13

export function createClusterRecorder(options: ClusterRecorderOptions): ClusterRecorder {
  const { clusters, latest, columns, insert, now } = options
  const windows = new Map<number, Window>()

  const store = async (clusterId: number, { times, columns: series }: Window) => {
    const names = [...series.keys()].toSorted()
    if (names.length === 0) return
    const { id: columnsId } = await columns.store(names.map((name) => ({ name, unit: '' })))
    const chunk = encodeChunk({
      times: Float64Array.from(times),
      columns: names.map((name) => series.get(name)!.subarray(0, times.length)),
      mantissa,
    })
    await insert({
      owner: { kind: ownerKinds.cluster, id: clusterId },
      startMs: times[0]!,
      shiftMs: 0,
      columnsId,
      ...chunk,
    })
  }
  const storeWindow = async (clusterId: number) => {
    const window = windows.get(clusterId)
    windows.delete(clusterId)
    if (window !== undefined) await store(clusterId, window)
  }
  return {
    async sample() {
      for (const clusterId of clusters()) {
        const samples = await latest(clusterId)
        const time = Math.round(now())
        const last = windows.get(clusterId)?.times.at(-1)
        // After a pause, or where the clock was set, another window begins.
        if (last !== undefined && (time <= last || time > last + 6 * raw.stepMs)) await storeWindow(clusterId)
        const window = windows.get(clusterId) ?? { times: [], columns: new Map() }
        windows.set(clusterId, window)
        add(window, samples, time)
        if (window.times.length >= readings) await storeWindow(clusterId)
      }
    },
    async flush() {
      for (const clusterId of windows.keys()) await storeWindow(clusterId)
    },
  }
}

function add({ times, columns }: Window, samples: Awaited<ReturnType<ClusterRecorderOptions['latest']>>, time: number) {
  for (const { metric_name: name, value } of samples) {
    if (value === null) continue
    const column = columns.get(name) ?? new Float64Array(readings).fill(Number.NaN)
    columns.set(name, column)
    column[times.length] = value
  }
  times.push(time)
}
