import { setTimeout as sleep } from 'node:timers/promises'
import { cpuSeconds, cpuSecondsOfAll, median, residentMb } from '../measure.js'
import { atMost, row } from '../report.js'
import type { Row } from '../report.js'
import { openStage, sharedNames } from '../stage.js'
import type { Stage } from '../stage.js'

const nodes = 1000
const settleMs = 30_000
const watchedMs = 60_000
const samplesASecond = (nodes * sharedNames.length) / 10

/**
 * Measures what the chunks of 1,000 nodes add to a control plane that has their connections and latest values.
 * `levelsCpu`: CPU seconds for the levels of a million samples, which are due hours later and are added.
 */
export async function benchSteadyFleet(levelsCpu: number): Promise<readonly Row[]> {
  const stage = await openStage()
  try {
    const fleet = await stage.addFleet(nodes, [sharedNames])
    await sleep(settleMs)
    const without = await watched(stage)
    fleet.sendHistory()
    await sleep(settleMs)
    const chunksBefore = await chunksOf(stage)
    const withHistory = await watched(stage)
    const rate = ((await chunksOf(stage)) - chunksBefore) / (watchedMs / 1000)
    if (rate === 0) throw new Error('No chunk of the fleet was stored.')
    const levels = (levelsCpu * samplesASecond) / 1e4
    return [
      row('1,000 nodes: chunks a second', rate, 'per second', null),
      row(
        '1,000 nodes: CPU of the control plane for them, with levels',
        withHistory.cpu - without.cpu + levels,
        '% of a core',
        atMost(2),
      ),
      row('1,000 nodes: CPU of PostgreSQL for them', withHistory.database - without.database, '% of a core', null),
      row('1,000 nodes: memory of the control plane for them', withHistory.memory - without.memory, 'MB', atMost(20)),
    ]
  } finally {
    await stage.close()
  }
}

/** Measures the control plane and its database, in % of a core, and the memory of the first in MB. */
async function watched({ controlPlane: { pid } }: Stage) {
  const before = { own: cpuSeconds(pid), all: cpuSecondsOfAll(pid) }
  const memory: number[] = []
  const start = performance.now()
  while (performance.now() < start + watchedMs) {
    await sleep(1000)
    memory.push(residentMb(pid))
  }
  const percent = 1e5 / (performance.now() - start)
  const own = cpuSeconds(pid) - before.own
  return {
    cpu: own * percent,
    database: (cpuSecondsOfAll(pid) - before.all - own) * percent,
    memory: median(memory),
  }
}

const chunksOf = ({ database }: Stage) => database.prisma.metricRaw.count({ where: { ownerKind: 0 } })
