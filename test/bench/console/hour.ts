import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '@roost/database'
import { atMost, row } from '../report.js'
import type { Row } from '../report.js'
import { streamKb } from './meter.js'
import type { Profiles } from './profile.js'

/** A page reads what it shows every 30 s: as often as in an hour. */
const rounds = 120
const screens = ['n', 'd', 'a', 'o'] as const
const screenEvery = 10
const changedNodes = 100
/** Subscribers learn of a change after a second. */
const changeMs = 3_000

/** Changes the state of nodes, as 1 % of them would change within a second. */
export async function changeNodes({ pool }: Database, round: number): Promise<void> {
  await pool.query(
    "update nodes set config_state = case config_state when 'synced' then 'pending' else 'synced' end where id % $1 = $2",
    [changedNodes, round % changedNodes],
  )
}

/** Measures what is left in memory of an hour: everything is read as often as in one, while nodes change and somebody visits screens. */
export async function benchHour(profiles: Profiles, database: Database): Promise<readonly Row[]> {
  const tab = await profiles.tab()
  const { page, meter } = tab
  await page.goto('/')
  await meter.quiet()
  const opened = streamKb(meter.asked)
  await changeNodes(database, 0)
  await sleep(changeMs)
  const changed = streamKb(meter.asked) - opened
  for (let round = 1; round <= rounds; round += 1) {
    await changeNodes(database, round)
    await page.keyboard.press('r')
    await meter.quiet()
    if (round % screenEvery !== 0) continue
    await page.keyboard.press('g')
    await page.keyboard.press(screens[(round / screenEvery) % screens.length] ?? 'o')
    await meter.quiet()
  }
  const { heapMb, nodes } = await meter.memory()
  await tab.close()
  return [
    row('the stream of changes, until it is open', opened, 'kB', atMost(10)),
    row('the change of 100 nodes in it', changed, 'kB', null),
    row('memory of JavaScript after an hour', heapMb, 'MB', atMost(30)),
    row('nodes of the document after it', nodes, '', atMost(2_500)),
  ]
}
