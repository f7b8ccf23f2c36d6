import type { Collector } from './engine/collector.js'
import { gauge, rate } from './engine/metric.js'

/** Reports the CPU and memory of the agent itself, without the commands that it runs. */
export const agent: Collector = {
  name: 'agent',
  read() {
    const { user, system } = process.cpuUsage()
    return [
      // A microsecond in a second is a ten-thousandth of a percent of one CPU.
      rate('roost.agent.cpu', 'percent', (user + system) / 10_000),
      gauge('roost.agent.memory', 'bytes', process.memoryUsage.rss()),
    ]
  },
}
