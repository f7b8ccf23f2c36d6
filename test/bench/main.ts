import { benchAgent } from './agent.js'
import { benchCache } from './cache.js'
import { benchCapacity } from './capacity.js'
import { benchConsole } from './console/console.js'
import { benchFleet } from './fleet.js'
import { benchForecast } from './forecast.js'
import { benchGateway } from './gateway.js'
import { benchGlobs } from './globs.js'
import { benchHistory } from './history/history.js'
import { benchIntake } from './intake.js'
import { benchMemory } from './memory.js'
import { benchPage } from './page.js'
import { benchPackages } from './packages.js'
import { benchReads } from './reads.js'
import { benchRecords } from './records.js'
import { missed, tableOf } from './report.js'
import type { Row } from './report.js'
import { benchStates } from './states.js'
import { benchRogues } from './rogues.js'
import { benchStatsd } from './statsd.js'
import { benchSwift } from './swift.js'
import { benchTiming } from './timing.js'
import { benchUsage } from './usage.js'

interface Bench {
  readonly title: string
  readonly run: () => Promise<readonly Row[]>
}

/** Every benchmark, by the name that the command line takes. */
const benches: Readonly<Record<string, Bench>> = {
  capacity: { title: 'Capacity statistics by set of policies', run: benchCapacity },
  forecast: { title: 'Days until full: simulated lives, and the CPU of a forecast', run: benchForecast },
  intake: { title: 'Taking samples in from WebSockets', run: benchIntake },
  memory: { title: 'Memory of latest values', run: benchMemory },
  reads: { title: 'Reading latest values over HTTP, p50', run: benchReads },
  globs: { title: 'Hostile patterns over 20,000 names', run: benchGlobs },
  fleet: { title: '1,000 agents, 800 metrics each, every 10 s', run: benchFleet },
  states: { title: 'Subscribers of the states of 10,000 nodes, 100 of which change each second', run: benchStates },
  rogues: { title: 'Ten hostile agents beside 100 honest ones', run: benchRogues },
  page: { title: 'A page of 20 out of 100,000 rows, p50', run: benchPage },
  records: { title: 'Users and shares, 100,000 of each', run: benchRecords },
  console: { title: 'The console in Chromium, 10,000 nodes and 40,000 devices', run: benchConsole },
  history: { title: 'A day of history, and that of 1,000 nodes', run: benchHistory },
  usage: { title: 'Usage by half-hour: two nodes at a time, messages of 5,000 accounts', run: benchUsage },
  agent: { title: "The agent at a 10 s interval, its children's CPU included", run: benchAgent },
  gateway: { title: "Shares of one gateway: the agent's CPU, and one apply whole", run: benchGateway },
  cache: { title: "What a gateway has not uploaded: counting, its children's CPU included", run: benchCache },
  statsd: { title: "Swift's statistics by UDP", run: benchStatsd },
  swift: { title: "Swift's own files on a node of a large cluster", run: benchSwift },
  packages: { title: 'Packages for this architecture', run: benchPackages },
  timing: { title: 'Refused credentials: medians of 10,000 interleaved tries', run: benchTiming },
}

const asked = process.argv.slice(2)
const unknown = asked.filter((name) => !(name in benches))
if (unknown.length > 0 || asked.includes('--help')) {
  console.log(`npm run bench [-- ${Object.keys(benches).join(' | ')} …]`)
  process.exitCode = asked.includes('--help') ? 0 : 2
} else await runAll(asked.length > 0 ? asked : Object.keys(benches))

async function runAll(names: readonly string[]): Promise<void> {
  console.log(
    'Peers: measured on a similar machine (2 vCPU, Debian 12). They store history, Roost stores latest values.',
  )
  const all: Row[] = []
  for (const name of names) {
    const bench = benches[name] as Bench
    const start = performance.now()
    const rows = await bench.run()
    all.push(...rows)
    console.log(`\n${bench.title} (${name}, ${Math.round((performance.now() - start) / 1000)} s)\n${tableOf(rows)}`)
  }
  const faults = missed(all)
  console.log(faults.length === 0 ? '\nEvery target is met.' : `\nMissed:\n  ${faults.join('\n  ')}`)
}
