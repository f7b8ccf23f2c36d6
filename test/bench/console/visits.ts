import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { atMost, row } from '../report.js'
import type { Row } from '../report.js'
import { filesKb, jsonKb, transferKb } from './meter.js'
import type { Profiles, Tab } from './profile.js'

/** The screens that the sidebar leads to, and a page of a record. */
const screens = [
  '/nodes',
  '/nodes/1',
  '/devices',
  '/capacity',
  '/explore',
  '/swift',
  '/utilization',
  '/shares',
  '/shares/new',
  '/users',
  '/deployments',
  '/deployments/new',
  '/drift',
  '/audit',
  '/alerts',
  '/alerts/rules',
  '/alerts/silences',
  '/users/new',
  '/system/clusters',
  '/access',
]

/** The palette is loaded when the page is at rest. */
const restMs = 5_000

/** Measures the login, and the overview by a browser that has nothing of it, and that has everything. */
export async function benchVisits(profiles: Profiles): Promise<readonly Row[]> {
  const login = await profiles.tab(false)
  await login.page.goto('/')
  await login.meter.quiet()
  const loginCpu = await login.meter.cpuMs()
  await login.close()

  const tab = await profiles.tab()
  await tab.page.addInitScript({ content: watchPaint })
  await tab.page.goto('/')
  await tab.meter.quiet()
  const cpu = await tab.meter.cpuMs()
  const { asked } = tab.meter
  const cold = asked.length
  const rows = [
    row('JavaScript of the first visit', filesKb(asked, '.js'), 'kB br', atMost(190)),
    row('its styles', filesKb(asked, '.css'), 'kB br', atMost(12)),
    row('its font', filesKb(asked, '.woff2'), 'kB', atMost(50)),
    row('its requests', cold, '', atMost(14)),
    row('everything that it transfers, without the stream', transferKb(asked), 'kB', atMost(300)),
    row('of that, answers of the API', jsonKb(asked), 'kB', atMost(60)),
    row('CPU of the login', loginCpu, 'ms', atMost(120)),
    row('CPU of the overview', cpu, 'ms', atMost(250)),
    ...(await paintOf(tab.page)),
  ]
  await sleep(restMs)
  const first = asked.length
  await tab.page.goto('/')
  await tab.meter.quiet()
  const again = filesAskedFrom(tab, first)
  await tab.close()
  return [...rows, row('files asked for by the next visit', again, '', atMost(4)), await largestScreen(profiles)]
}

/** The page, its files and their validation; the answers of the API are asked for at each visit. */
function filesAskedFrom({ meter: { asked } }: Tab, from: number): number {
  return asked.slice(from).filter(({ path, bytes }) => !path.includes('/trpc') && bytes > 0).length
}

/** Measures the JavaScript that each screen adds to what the overview has loaded, and returns the largest. */
async function largestScreen(profiles: Profiles): Promise<Row> {
  const tab = await profiles.tab()
  const { page, meter } = tab
  await page.goto('/')
  await meter.quiet()
  await sleep(restMs)
  const sizes: (readonly [string, number])[] = []
  const base = [...meter.asked]
  for (const screen of screens) {
    const before = meter.asked.length
    await page.goto(screen)
    await meter.quiet()
    const asked = meter.asked.slice(before)
    sizes.push([screen, filesKb([...base, ...asked], '.js') - filesKb(base, '.js')])
  }
  await tab.close()
  const [screen, size] = sizes.toSorted(([, a], [, b]) => b - a)[0] ?? ['', 0]
  return row(`JavaScript of a further screen, the largest: ${screen}`, size, 'kB br', atMost(40))
}

/** Records when the page paints and how far it shifts, from its first moment. */
const watchPaint = `
  globalThis.roostPaint = { largest: 0, shift: 0 }
  const watch = (type, use) => new PerformanceObserver((list) => list.getEntries().forEach(use)).observe({ type, buffered: true })
  watch('largest-contentful-paint', ({ startTime }) => (roostPaint.largest = startTime))
  watch('layout-shift', ({ value, hadRecentInput }) => (roostPaint.shift += hadRecentInput ? 0 : value))
`

async function paintOf(page: Page): Promise<readonly Row[]> {
  const { first, largest, shift } = await page.evaluate<{ first: number; largest: number; shift: number }>(
    `({ ...roostPaint, first: performance.getEntriesByName('first-contentful-paint')[0].startTime })`,
  )
  return [
    row('first contentful paint, by the clock', first / 1000, 's', atMost(0.8)),
    row('largest contentful paint, by the clock', largest / 1000, 's', atMost(1.5)),
    row('layout shift', shift, '', atMost(0.02)),
  ]
}
