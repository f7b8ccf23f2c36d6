import { createAgent, type DataDirSpace } from './agent.js'
import type { Collector } from './engine/collector.js'
import { conntrack } from './conntrack.js'
import { cpu } from './cpu.js'
import { df } from './df.js'
import { disk } from './disk.js'
import { networkInterface } from './interface.js'
import { load } from './load.js'
import { memory } from './memory.js'
import { net } from './net.js'
import { pressure } from './pressure.js'
import { createProcessStates } from './process-states.js'
import { processes } from './processes.js'
import { createRecon, type ReconOptions } from './swift/recon.js'
import { createReconAnswers } from './swift/recon-answers.js'
import { createShares } from './shares.js'
import { createStatsd, type StatsdOptions } from './swift/statsd.js'
import { createSmart, type SmartOptions } from './smart.js'
import { swap } from './swap.js'
import { uptime } from './uptime.js'
import { vmem } from './vmem.js'
import { xfs } from './xfs.js'
import type { ShareCounts } from '../mounts/cache/files/share-counts.js'
import type { AskRecon } from '../swift/recon/recon-client.js'

/** Everything that collectors need beside the files of the machine. */
export interface CollectorSources {
  readonly recon: ReconOptions
  readonly askRecon: AskRecon
  readonly shareCounts: Pick<ShareCounts, 'list'>
  readonly statsd: StatsdOptions
  readonly dataDir: DataDirSpace
  readonly smart: SmartOptions
}

/** THE LIST: creates every collector of the agent. */
export const createCollectors = ({
  recon,
  askRecon,
  shareCounts,
  statsd,
  dataDir,
  smart,
}: CollectorSources): readonly Collector[] => [
  cpu,
  load,
  memory,
  swap,
  vmem,
  pressure,
  disk,
  df,
  xfs,
  networkInterface,
  net,
  conntrack,
  processes,
  createProcessStates(),
  uptime,
  createRecon(recon),
  createAgent(dataDir),
  createReconAnswers({ ...recon, ask: askRecon }),
  createShares(shareCounts),
  createStatsd(statsd),
  createSmart(smart),
]
