import type { Collector } from './engine/collector.js'
import { gauge, rate } from './engine/metric.js'

/** The space for the agent's own files; NaN while it is unknown. */
export interface DataDirSpace {
  availableBytes(): number
}

/** Reports the CPU and memory of the agent itself, without the commands that it runs, and the space for its own files. */
export function createAgent(dataDir: DataDirSpace): Collector {
  return {
    name: 'agent',
    read() {
      const { user, system } = process.cpuUsage()
      return [
        // A microsecond in a second is a ten-thousandth of a percent of one CPU.
        rate('roost.agent.cpu', 'percent', (user + system) / 10_000),
        gauge('roost.agent.memory', 'bytes', process.memoryUsage.rss()),
        gauge('roost.agent.data_dir.available_bytes', 'bytes', dataDir.availableBytes()),
      ]
    },
  }
}
