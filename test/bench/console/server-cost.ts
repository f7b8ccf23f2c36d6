import { setTimeout as sleep } from 'node:timers/promises'
import { cpuSeconds } from '../measure.js'
import { atMost, row } from '../report.js'
import type { Row } from '../report.js'
import type { Stage } from '../stage.js'
import { changeNodes } from './hour.js'
import type { Profiles, Tab } from './profile.js'

/** Twice what an open page reads again after. */
const watchedMs = 60_000
const consoles = 20

/** Measures what open consoles cost the control plane: the overview of 10,000 nodes, at rest and while nodes change. */
export async function benchServerCost(profiles: Profiles, stage: Stage): Promise<readonly Row[]> {
  const tabs: Tab[] = []
  const open = async (count: number) => {
    while (tabs.length < count) {
      const tab = await profiles.tab()
      tabs.push(tab)
      await tab.page.goto('/')
      await tab.meter.quiet()
    }
  }
  const none = await cpuMsASecond(stage)
  await open(1)
  const one = await cpuMsASecond(stage)
  const changing = await whileNodesChange(stage)
  await open(consoles)
  const twenty = await cpuMsASecond(stage)
  const twentyChanging = await whileNodesChange(stage)
  for (const tab of tabs) await tab.close()
  return [
    row('CPU of the control plane a second, no console', none, 'ms', null),
    row('what one console adds', one - none, 'ms', atMost(5)),
    row(`what ${consoles} consoles add`, twenty - none, 'ms', atMost(15)),
    row('one console, 100 nodes changing each second', changing - none, 'ms', null),
    row(`${consoles} consoles, the same`, twentyChanging - none, 'ms', null),
  ]
}

async function cpuMsASecond({ controlPlane }: Stage): Promise<number> {
  const before = cpuSeconds(controlPlane.pid)
  const start = performance.now()
  await sleep(watchedMs)
  return ((cpuSeconds(controlPlane.pid) - before) * 1e6) / (performance.now() - start)
}

async function whileNodesChange(stage: Stage): Promise<number> {
  let round = 0
  const timer = setInterval(() => void changeNodes(stage.database, round++), 1_000)
  try {
    return await cpuMsASecond(stage)
  } finally {
    clearInterval(timer)
  }
}
