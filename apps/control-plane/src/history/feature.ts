import type { HistoryConfig } from '../config/history.js'
import type { Database } from '../database/database.js'
import type { Latest } from './answers/series.js'
import { insertRaw } from './storage/chunk-store.js'
import { createClusterRecorder } from './cluster-recorder.js'
import type { ClusterRecorder } from './cluster-recorder.js'
import { createColumnStore } from './storage/columns.js'
import type { ColumnStore } from './storage/columns.js'
import { createHistoryIntake } from './intake.js'
import type { HistoryCounters, HistoryIntake } from './intake.js'
import { createHistoryReader } from './answers/reader.js'
import { makeLevels } from './storage/level-store.js'
import { ownerKinds } from './storage/levels.js'
import type { KeptFor } from './storage/levels.js'
import type { HistoryReader } from './answers/reader.js'
import { createSpaceRule, keepWithin } from './storage/retention.js'
import type { HistorySizes } from './storage/retention.js'
import { createHistoryService } from './answers/service.js'
import type { HistoryOwners, HistoryReads } from './answers/service.js'
import { createUnsentChunks } from './unsent-store.js'
import type { UnsentChunks } from './unsent.js'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

export interface HistoryOptions extends HistoryOwners {
  readonly clusters: () => Iterable<number>
  readonly database: Pick<Database, 'pool' | 'disk'>
  readonly config: HistoryConfig
  /** The disk of the database, where it is on this machine. */
  readonly space: Parameters<typeof createSpaceRule>[0]
  /** Chunks are to be sent to a server of remote_write. */
  readonly isSent: boolean
  readonly now: () => number
}

/** What the control plane shows of its history. */
export interface HistoryMetrics extends HistoryCounters {
  /** Bytes of each level, as of the last `keepWithin`. */
  readonly sizes: HistorySizes
  readonly maxBytes: number
  /** No history is stored, because the disk is nearly full. */
  readonly isPaused: boolean
  /** When all levels that were due had been made last, or the start, in Unix milliseconds. */
  readonly levelsMadeMs: number
}

/** The history of metrics: what agents send, what is asked, and what becomes of it with time. */
export interface HistoryFeature {
  readonly isOn: boolean
  readonly kept: KeptFor
  /** The latest values of an owner of a kind. */
  readonly latest: (kind: number, id: number, names: readonly string[]) => ReturnType<Latest>
  readonly intake: HistoryIntake
  readonly reader: HistoryReader
  readonly service: HistoryReads
  readonly recorder: ClusterRecorder
  /** Makes the rows of the levels that are due. Ends early when the signal aborts. */
  readonly makeLevels: (signal: AbortSignal) => Promise<number>
  /** Drops what is beyond retention or the maximum of bytes, and measures the rest. */
  readonly keepWithin: () => Promise<void>
  readonly columns: Pick<ColumnStore, 'get'>
  readonly unsent: UnsentChunks
  readonly metrics: () => HistoryMetrics
}

export function createHistory({
  database,
  config,
  space,
  isSent,
  clusters,
  now,
  ...owners
}: HistoryOptions): HistoryFeature {
  const columns = createColumnStore(database)
  const kept = keptFor(config)
  const reader = createHistoryReader(database, columns)
  const obstacle = createSpaceRule(space)
  const maxBytes = config.maxGigabytes * 1e9
  const intake = createHistoryIntake({
    columns,
    insert: (row) => insertRaw(database, row, isSent),
    obstacle,
    oldestKept: () => now() - kept.fiveMinutesMs,
    now,
  })
  let sizes: HistorySizes = { raw: 0, '5min': 0, hour: 0 }
  const levels = timedLevels(async (signal) => (config.isOn ? makeLevels(database, columns, now(), signal) : 0), now)
  return {
    metrics: () => ({ ...intake.counters, sizes, maxBytes, isPaused: obstacle() !== undefined, ...levels.made() }),
    makeLevels: (signal) => levels.run(signal),
    async keepWithin() {
      sizes = await keepWithin(database, { kept, maxBytes, now })
    },
    isOn: config.isOn,
    kept,
    columns,
    unsent: createUnsentChunks(database),
    latest: (kind, id, names) =>
      kind === ownerKinds.cluster ? owners.latestOfCluster(id, names) : owners.latestOfNode(id, names),
    intake,
    recorder: createClusterRecorder({
      clusters: () => (config.isOn && obstacle() === undefined ? clusters() : []),
      latest: (clusterId) => owners.latestOfCluster(clusterId, ['*']),
      columns,
      insert: (row) => insertRaw(database, row, isSent),
      now,
    }),
    reader,
    service: createHistoryService({ reader, kept, now, ...owners }),
  }
}

function keptFor({ rawHours, fiveMinutesDays, hourDays }: HistoryConfig): KeptFor {
  return { rawMs: rawHours * hourMs, fiveMinutesMs: fiveMinutesDays * dayMs, hourMs: hourDays * dayMs }
}

/** Records when levels were complete last, which an aborted run is not; before the first, when it could begin. */
function timedLevels(work: (signal: AbortSignal) => Promise<number>, now: () => number) {
  let levelsMadeMs = now()
  return {
    async run(signal: AbortSignal) {
      const done = await work(signal)
      if (!signal.aborted) levelsMadeMs = now()
      return done
    },
    made: () => ({ levelsMadeMs }),
  }
}
