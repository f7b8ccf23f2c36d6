import { setTimeout as sleep } from 'node:timers/promises'
import { cpuSeconds, cpuSecondsOfAll } from '../measure.js'
import { atMost, row } from '../report.js'
import type { Row } from '../report.js'
import { openStage } from '../stage.js'
import type { Stage } from '../stage.js'
import { feed, feedPeers } from './feed.js'
import type { FedCluster, FeedOptions } from './feed.js'
import { modelSeries } from './model.js'
import { startPeer } from './peers.js'
import type { Peer } from './peers.js'
import { assertSameAnswers, benchQueries } from './queries.js'
import { benchSteadyFleet } from './steady.js'

const dayMs = 86_400_000
const levelsDeadlineMs = 300_000

/** A day of readings, beside Debian's VictoriaMetrics and Prometheus with the same samples, and 1,000 agents that send theirs. */
export async function benchHistory(): Promise<readonly Row[]> {
  const { rows, levelsCpu } = await benchDay()
  return [...rows, ...(await benchSteadyFleet(levelsCpu))]
}

async function benchDay() {
  const stage = await openStage()
  const peers: Peer[] = []
  try {
    for (const name of ['VictoriaMetrics', 'Prometheus'] as const) peers.push(await startPeer(name))
    // The last two days of UTC that have ended, so that all of their levels are due: peers get samples in the order of time.
    const todayMs = Math.floor((Date.now() - 1_200_000) / dayMs) * dayMs
    const [day, dayAfter] = [2, 1].map((days) => ({ fromMs: todayMs - days * dayMs, hours: 24 })) as [Day, Day]
    // As many series as a storage node has.
    const large = await benchIntake(stage, peers, { ...day, name: 'large', nodes: 4, series: modelSeries(800) })
    // As many nodes as are looked at together, with what the peers can take in within minutes.
    const many = await benchIntake(stage, peers, { ...dayAfter, name: 'many', nodes: 100, series: modelSeries(64) })
    await assertSameAnswers(stage, peers, many.cluster)
    const queries = await benchQueries(stage, peers, many.cluster)
    return { rows: [...large.rows(true), ...many.rows(false), ...queries], levelsCpu: large.levelsCpu }
  } finally {
    for (const peer of peers) await peer.stop()
    await stage.close()
  }
}

type Day = Pick<FeedOptions, 'fromMs' | 'hours'>

interface Intake {
  readonly cluster: FedCluster
  /** CPU seconds of the control plane's process for the levels of a million samples. */
  readonly levelsCpu: number
  rows(hasTargets: boolean): readonly Row[]
}

/** Measures what it costs to take in a day of a cluster: from the first message until the levels are made and nothing moves. */
async function benchIntake(stage: Stage, peers: readonly Peer[], options: FeedOptions): Promise<Intake> {
  const { pid } = stage.controlPlane
  const bytesBefore = await bytesOf(stage)
  const peerBytesBefore = await Promise.all(peers.map((peer) => peer.bytes()))
  const before = { all: cpuSecondsOfAll(pid), peers: peers.map((peer) => cpuSeconds(peer.pid)) }
  const cluster = await feed(stage, options)
  const fed = cpuSeconds(pid)
  await levelsMade(stage, cluster)
  const all = cpuSecondsOfAll(pid) - before.all
  const levels = cpuSeconds(pid) - fed
  await feedPeers(peers, options)
  for (const peer of peers) await peer.settled()
  const peerCpu = peers.map((peer, i) => cpuSeconds(peer.pid) - before.peers[i]!)
  const bytes = await bytesOf(stage)
  const peerBytes = (await Promise.all(peers.map((peer) => peer.bytes()))).map((now, i) => now - peerBytesBefore[i]!)
  const millions = cluster.samples / 1e6
  const beside = (values: readonly number[], factor: number) =>
    Object.fromEntries(peers.map(({ name }, i) => [name, values[i]! * factor]))
  const what = `${options.nodes} nodes × ${options.series.length} series`
  return {
    cluster,
    levelsCpu: levels / millions,
    rows: (hasTargets) => [
      row(
        `${what}: bytes a sample on disk`,
        (bytes.raw - bytesBefore.raw) / cluster.samples,
        'B',
        hasTargets ? atMost(1.6) : null,
        beside(peerBytes, 1 / cluster.samples),
      ),
      row('the same with its levels', (bytes.all - bytesBefore.all) / cluster.samples, 'B', null),
      row(
        `${what}: CPU to take in a million samples, with levels`,
        all / millions,
        's',
        hasTargets ? atMost(0.15) : null,
        beside(peerCpu, 1 / millions),
      ),
    ],
  }
}

async function levelsMade({ database }: Stage, { nodeIds, endMs }: FedCluster): Promise<void> {
  for (const deadline = performance.now() + levelsDeadlineMs; ; await sleep(1000)) {
    const { rows } = await database.pool.query<{ made: number }>(
      'select count(*)::int as made from metric_progress where owner_kind = 0 and owner_id = any($1) and until >= $2',
      [nodeIds, new Date(endMs)],
    )
    if (rows[0]?.made === 2 * nodeIds.length) return
    if (performance.now() > deadline) throw new Error('The levels of the history were not made in time.')
  }
}

/** Returns the bytes of the readings on the disk, and of all levels, with their indexes. */
async function bytesOf({ database }: Stage): Promise<{ readonly raw: number; readonly all: number }> {
  const { rows } = await database.pool.query<{ raw: number; all: number }>(
    `select coalesce(sum(bytes) filter (where parent = 'metric_raw'), 0)::float8 as raw, coalesce(sum(bytes), 0)::float8 as "all"
     from (select inhparent::regclass::text as parent, pg_total_relation_size(inhrelid) as bytes from pg_inherits
       where inhparent::regclass::text in ('metric_raw', 'metric_5min', 'metric_hour')) sizes`,
  )
  return rows[0] ?? { raw: 0, all: 0 }
}
