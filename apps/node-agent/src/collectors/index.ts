import { agent } from './agent.js'
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
import { swap } from './swap.js'
import { uptime } from './uptime.js'
import { vmem } from './vmem.js'
import { xfs } from './xfs.js'

export interface CollectorsOptions {
  readonly recon: ReconOptions
}

/** THE LIST: every collector that reads the machine. What Swift's servers send comes beside it (`collectors/swift/statsd.ts`). */
export const createCollectors = ({ recon }: CollectorsOptions): readonly Collector[] => [
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
  agent,
]
