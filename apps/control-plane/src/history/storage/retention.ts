import { queryRows } from '../../database/database.js'
import type { Database } from '../../database/database.js'
import { fiveMinutes, hour, raw } from './levels.js'
import type { KeptFor, Level } from './levels.js'
import { dropPartition, listPartitions, makePartition } from './partitions.js'
import type { Partition } from './partitions.js'

const dayMs = 86_400_000

export interface RetentionOptions {
  readonly kept: KeptFor
  readonly maxBytes: number
  readonly now: () => number
}

/** What the history uses on disk, in bytes. */
export type HistorySizes = Readonly<Record<Level['name'], number>>

type Reach = Pick<Database, 'pool' | 'disk'>

/**
 * Makes the partitions of tomorrow, and drops those whose time is over. Above the maximum, it drops the oldest partitions
 * of readings, then of five minutes, then of an hour; the newest of each stays, because it is written.
 */
export async function keepWithin(database: Reach, { kept, maxBytes, now }: RetentionOptions): Promise<HistorySizes> {
  const nowMs = now()
  for (const level of [raw, fiveMinutes, hour])
    for (const timeMs of [nowMs, nowMs + dayMs]) await makePartition(database, level, timeMs)
  const keptMs = { raw: kept.rawMs, '5min': kept.fiveMinutesMs, hour: kept.hourMs }
  const left: [Level, Partition[]][] = []
  for (const level of [raw, fiveMinutes, hour]) {
    const partitions = await dropOld(database, level, nowMs - keptMs[level.name])
    left.push([level, partitions])
  }
  await dropAbove(database, left, maxBytes, nowMs)
  const bytes = (name: Level['name']) => sum(left.find(([level]) => level.name === name)?.[1] ?? [])
  return { raw: bytes('raw'), '5min': bytes('5min'), hour: bytes('hour') }
}

/** The share of its disk that the history leaves to what operators configured. */
export const leastFreeShare = 0.1
/** Not at once again: the disk would be at the limit all the time. */
const resumeShare = 0.11

interface Space {
  readonly availableBytes: number
  readonly totalBytes: number
}

/** Returns a function that says why no history is stored at present: a nearly full disk. Undefined when it is stored. */
export function createSpaceRule(space: () => Space | undefined): () => string | undefined {
  let isPaused = false
  return () => {
    const now = space()
    if (now !== undefined) isPaused = now.availableBytes < (isPaused ? resumeShare : leastFreeShare) * now.totalBytes
    return isPaused
      ? 'Less than a tenth of the disk is available: no history is stored until some is freed.'
      : undefined
  }
}

/** Drops what ends before a time. Readings stay until the levels have them. */
async function dropOld(database: Reach, level: Level, oldestMs: number): Promise<Partition[]> {
  const left: Partition[] = []
  for (const partition of await listPartitions(database, level)) {
    const isOld = partition.endMs <= oldestMs
    if (isOld && (level.number !== raw.number || (await isInLevels(database, partition))))
      await dropPartition(database, partition)
    else left.push(partition)
  }
  return left
}

async function isInLevels(database: Reach, { name }: Partition): Promise<boolean> {
  const rows = await queryRows(
    database,
    `select 1 from (select owner_kind, owner_id, max(started_at) as newest from ${name} group by 1, 2) r
      join metric_progress p using (owner_kind, owner_id)
      where p.level = ${fiveMinutes.number} and p.until <= r.newest limit 1`,
  )
  return rows.length === 0
}

async function dropAbove(
  database: Reach,
  left: readonly [Level, Partition[]][],
  maxBytes: number,
  nowMs: number,
): Promise<void> {
  let bytes = left.reduce((total, [, partitions]) => total + sum(partitions), 0)
  for (const [, partitions] of left) {
    while (bytes > maxBytes && partitions[0] !== undefined && partitions[0].endMs <= nowMs) {
      const [oldest] = partitions.splice(0, 1)
      await dropPartition(database, oldest!)
      bytes -= oldest!.bytes
    }
  }
}

function sum(partitions: readonly Partition[]): number {
  return partitions.reduce((total, { bytes }) => total + bytes, 0)
}
