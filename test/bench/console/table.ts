import type { Page } from 'playwright-core'
import { median } from '../measure.js'
import { atMost, row } from '../report.js'
import type { Row } from '../report.js'
import type { Profiles, Tab } from './profile.js'

const frames = 100
const repetitions = 5

/** Measures the list of 10,000 nodes: to open it, scroll it, order it and filter it, and the palette above it. */
export async function benchTable(profiles: Profiles): Promise<readonly Row[]> {
  const tab = await profiles.tab()
  const { page, meter } = tab
  await page.goto('/')
  await meter.quiet()
  const open = await cpuOf(tab, async () => {
    await page.getByRole('link', { name: 'Nodes', exact: true }).first().click()
    await page.getByRole('link', { name: 'node-00001' }).waitFor()
    await meter.quiet()
  })
  const slow = await scrollCpu(tab, 120)
  const fast = await scrollCpu(tab, 2_700)
  await page.evaluate("document.querySelector('.data-table').scrollTop = 0")
  await page.getByRole('link', { name: 'node-00001' }).waitFor()
  const sort = await sortTimes(page)
  const filter = await filterTimes(page)
  const key = await paletteCpu(tab)
  await tab.close()
  return [
    row('CPU from the overview to the list of nodes', open, 'ms', atMost(120)),
    row('CPU of a frame that scrolls by 120 pixels', slow, 'ms', atMost(8)),
    row('CPU of a frame that scrolls by 2,700 pixels', fast, 'ms', atMost(16)),
    row('order by another column, by the clock', sort, 'ms', atMost(200)),
    row('filter by a name, by the clock', filter, 'ms', atMost(200)),
    row('CPU of a key in the palette', key, 'ms', atMost(16)),
  ]
}

async function cpuOf({ meter }: Tab, work: () => Promise<void>): Promise<number> {
  const before = await meter.cpuMs()
  await work()
  return (await meter.cpuMs()) - before
}

async function scrollCpu(tab: Tab, pixels: number): Promise<number> {
  const scroll = `new Promise((resolve) => {
    const table = document.querySelector('.data-table')
    table.scrollTop = 0
    let left = ${frames}
    const step = () => {
      if (left-- === 0) return resolve()
      table.scrollTop += ${pixels}
      requestAnimationFrame(step)
    }
    requestAnimationFrame(step)
  })`
  const cpu = await cpuOf(tab, () => tab.page.evaluate<void>(scroll))
  await tab.meter.quiet()
  return cpu / frames
}

/** Waits inside the page, without the way to this process: until the first row has another text. */
const untilFirstRowChanges = (act: string) => `(async () => {
  const first = () => document.querySelector('.data-table tr[aria-rowindex="2"] a')?.textContent
  const before = first()
  const start = performance.now()
  ;${act}
  while (first() === before || first() === undefined) await new Promise((next) => requestAnimationFrame(next))
  return performance.now() - start
})()`

/** Each order is asked for the first time, so that nothing of it is in the memory of the page, and begins with another node. */
const orders = ['Node', 'Cores', 'Cores', 'State'] as const

async function sortTimes(page: Page): Promise<number> {
  const times: number[] = []
  for (const heading of orders)
    times.push(
      await page.evaluate<number>(
        untilFirstRowChanges(
          `[...document.querySelectorAll('.data-table th button')].find((one) => one.textContent.startsWith('${heading}')).click()`,
        ),
      ),
    )
  return median(times)
}

async function filterTimes(page: Page): Promise<number> {
  const times: number[] = []
  const field = page.getByRole('searchbox').first()
  for (let i = 1; i <= repetitions; i += 1) {
    await field.fill(`node-0${i}234`)
    times.push(
      await page.evaluate<number>(
        untilFirstRowChanges(
          `document.querySelector('.filters input').dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }))`,
        ),
      ),
    )
  }
  return median(times)
}

async function paletteCpu(tab: Tab): Promise<number> {
  const { page, meter } = tab
  await page.keyboard.press('Control+k')
  await page.getByRole('combobox', { name: 'Go to' }).waitFor()
  await meter.quiet()
  const text = 'deployments'
  const cpu = await cpuOf(tab, async () => {
    await page.keyboard.type(text, { delay: 100 })
  })
  return cpu / text.length
}
