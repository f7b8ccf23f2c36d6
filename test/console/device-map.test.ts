import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { addLargeFleet } from '../support/agents/large-fleet.js'
import { faultsOf } from '../support/console/browser.js'
import { enterConsole, hasBrowser, settled } from '../support/console/chromium.js'
import { useConsole } from '../support/console/console.js'
import type { TestApi } from '../support/http/api.js'

const [nodes, devicesPerNode] = [15, 20]

/** What differs from a device that is 50 to 80 % full: its state, or its free share; null without a reading. */
const special = [
  ['d3', { status: 'failed' }],
  ['d4', { status: 'unmounted' }],
  ['d5', { free: 0.125 }],
  ['d6', { free: 0.0625 }],
  ['d7', { free: null }],
] as const

describe.skipIf(!hasBrowser)('300 devices as a map', () => {
  let second: number
  const lab = useConsole(addDevices)

  async function addDevices({ database, context }: TestApi): Promise<void> {
    const { id: cluster } = await database.prisma.cluster.findFirstOrThrow()
    await addLargeFleet(database, cluster, { nodes, devicesPerNode })
    const rows = await database.prisma.node.findMany({ orderBy: { hostname: 'asc' } })
    second = rows[1]?.id ?? 0
    for (const [name, change] of special) {
      const { id } = await database.prisma.device.findFirstOrThrow({ where: { nodeId: second, name } })
      if ('status' in change) await database.prisma.device.update({ where: { id }, data: change })
      else await database.prisma.deviceUsage.update({ where: { deviceId: id }, data: usageOf(change.free) })
    }
    for (const { id } of rows) await context.capacity.intake.devicesChanged(id)
  }

  const nodeLinks = (page: Page) => page.getByRole('main').getByRole('list').getByRole('link')
  const square = (page: Page, name: string) =>
    nodeLinks(page)
      .first()
      .getByTitle(new RegExp(`^${name} ·`))
  /** How the square of a device of the first node is drawn. */
  const style = (page: Page, name: string) =>
    page.evaluate<string>(
      `(({ backgroundColor, backgroundImage, boxShadow }) => [backgroundColor, backgroundImage, boxShadow].join(' '))(
        getComputedStyle(document.querySelector('main li [title^="${name} ·"]')))`,
    )

  it.each(['light', 'dark'] as const)(
    'has a square for each, whose number and color say how full it is: %s',
    async (theme) => {
      const visitor = await lab.visit({ theme })
      const page = await visitor.open('/devices?view=map')
      await enterConsole(page, lab.api.key)
      await settled(page)
      expect(await nodeLinks(page).count()).toBe(nodes)
      expect(await page.getByTitle(/^d\d+ · /).count()).toBe(nodes * devicesPerNode)
      expect(await square(page, 'd5').innerText()).toBe('88')
      expect(await square(page, 'd5').getAttribute('title')).toBe('d5 · ok · 87.5\u{a0}%')
      expect(await square(page, 'd6').innerText()).toBe('94')
      const styles = await Promise.all(['d1', 'd5', 'd6'].map((name) => style(page, name)))
      expect(new Set(styles).size).toBe(3)
      // The square is filled as far as the device.
      const filled = await style(page, 'd1')
      expect(filled).toContain(`${(await square(page, 'd1').getAttribute('title'))?.split(' · ')[2]?.slice(0, 2)}`)
      expect(await faultsOf(page)).toEqual([])
      visitor.expectNoErrors(/status of 401/)
    },
  )

  it('has a cross instead of the number of a device that is out of service, and says its state in the name of its node', async () => {
    const { visitor, page } = await lab.enter('/devices?view=map')
    await settled(page)
    expect(await square(page, 'd3').innerText()).toBe('×')
    expect(await square(page, 'd3').getAttribute('title')).toBe('d3 · failed · –')
    expect(await square(page, 'd4').innerText()).toBe('×')
    expect(await square(page, 'd7').innerText()).toBe('–')
    // The node with the fullest device is the first.
    const summary = new RegExp(`^Node ${second} : 20 devices, the fullest 93.8.% used, 1 failed, 1 unmounted$`)
    await page.getByRole('link', { name: summary }).and(nodeLinks(page).first()).waitFor()
    const others = page.getByRole('link', { name: /^Node \d+ : 20 devices, the fullest [\d.]+.% used$/ })
    expect(await others.count()).toBe(nodes - 1)
    visitor.expectNoErrors(/status of 401/)
  })

  it('is reached from the table and opened by the keyboard alone, and by a click on a square', async () => {
    const { visitor, page } = await lab.enter('/devices')
    await settled(page)
    await page.getByRole('button', { name: 'Map' }).focus()
    await page.keyboard.press('Enter')
    await nodeLinks(page).first().waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    expect(await nodeLinks(page).nth(1).and(page.locator(':focus')).count()).toBe(1)
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Enter')
    await expect.poll(() => new URL(page.url()).pathname).toBe(`/nodes/${second}/devices`)
    await page.getByRole('row').filter({ hasText: 'd3' }).first().getByText('failed').waitFor()
    await page.goBack()
    await square(page, 'd6').click()
    await expect.poll(() => new URL(page.url()).pathname).toBe(`/nodes/${second}/devices`)
    visitor.expectNoErrors(/status of 401/)
  })

  it('fits a phone', async () => {
    const visitor = await lab.visit({ width: 320 })
    const page = await visitor.open('/devices?view=map')
    await enterConsole(page, lab.api.key)
    await settled(page)
    expect(await nodeLinks(page).count()).toBe(nodes)
    expect(await faultsOf(page)).toEqual([])
    visitor.expectNoErrors(/status of 401/)
  })
})

/** The usage of a device of 18 TB, of which that share is free. */
function usageOf(free: number | null) {
  if (free === null) return { totalBytes: null, freeBytes: null, availableBytes: null }
  const bytes = BigInt(18e12 * free)
  return { freeBytes: bytes, availableBytes: bytes }
}
