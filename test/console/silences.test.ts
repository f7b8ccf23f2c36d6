import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { addDevice, addNode } from '../support/agents/fleet-rows.js'
import { faultsOf } from '../support/console/browser.js'
import { enterConsole, hasBrowser, settled } from '../support/console/chromium.js'
import { useConsole } from '../support/console/console.js'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/** A time so far from now, and how an input of times has it: the browser is in the zone of this process. */
function timeIn(ms: number): { readonly at: string; readonly text: string } {
  const minute = Math.floor((Date.now() + ms) / 60_000) * 60_000
  const offsetMs = new Date(minute).getTimezoneOffset() * 60_000
  return { at: new Date(minute).toISOString(), text: new Date(minute - offsetMs).toISOString().slice(0, 16) }
}

describe.skipIf(!hasBrowser)('silences in the console', () => {
  const lab = useConsole()

  const dialogOf = (page: Page) => page.getByRole('dialog')
  const press = (page: Page, name: string) => dialogOf(page).getByRole('button', { name, exact: true }).click()
  const rows = (page: Page) => page.getByRole('region', { name: 'Silences' }).getByRole('row').allInnerTexts()
  const silences = async () => (await lab.api.get('/api/v1/alert_silences/?order_by=id')).body.objects

  it('begin later, and are of one device, also where another has its name', async () => {
    const { database } = lab.api
    const node = await addNode(database, lab.cluster, { hostname: 'st-01' })
    await addDevice(database, lab.cluster, node, { name: 'd3', agentKey: null, status: 'retired', serial: 'OLD' })
    const device = await addDevice(database, lab.cluster, node, { name: 'd3', status: 'ok', serial: 'NEW' })
    const { visitor, page } = await lab.enter(`/nodes/${node}/devices`)
    await page.getByRole('row').filter({ hasText: 'NEW' }).getByRole('link', { name: 'Silence …' }).press('Enter')
    const choice = dialogOf(page).getByLabel('Device')
    await expect.poll(() => choice.locator('option:checked').innerText()).toBe('d3 (NEW)')
    expect(await choice.locator('option').allInnerTexts()).toEqual(['every device', 'd3 (OLD)', 'd3 (NEW)'])
    const begins = dialogOf(page).getByLabel('Begins')
    expect(await begins.getAttribute('max')).toBe('9999-12-31T23:59')
    await begins.fill('20261-01-01T00:00')
    await press(page, 'Silence')
    await dialogOf(page).getByText('The year has four digits.').waitFor()
    expect(await faultsOf(page)).toEqual([])
    const begin = timeIn(2 * hourMs)
    await begins.fill(begin.text)
    await dialogOf(page)
      .getByLabel('For')
      .selectOption(String(dayMs / 1000))
    await dialogOf(page).getByLabel('Comment').fill('disk swap')
    expect(await faultsOf(page)).toEqual([])
    await press(page, 'Silence')
    await expect.poll(() => rows(page)).toContainEqual(expect.stringMatching(/st-01.*d3.*begins later.*disk swap/s))
    expect(await silences()).toMatchObject([
      {
        matchers: { node: `/api/v1/nodes/${node}/`, device: `/api/v1/devices/${device}/`, code: null, subject: null },
        starts_at: begin.at,
        ends_at: new Date(Date.parse(begin.at) + dayMs).toISOString(),
      },
    ])
    await settled(page)
    expect(await faultsOf(page)).toEqual([])

    await page.getByRole('button', { name: 'New silence' }).click()
    await dialogOf(page).getByLabel('Node').fill('st-01')
    await choice.selectOption('d3 (OLD)')
    await dialogOf(page).getByLabel('Node').fill('st-0')
    await expect.poll(() => choice.locator('option').allInnerTexts()).toEqual(['every device'])
    await press(page, 'Silence')
    await dialogOf(page).getByText('This cluster has no node with the name st-0.').waitFor()
    expect(await silences()).toHaveLength(1)
    visitor.expectNoErrors(/status of 401/)
  })

  /** Two nodes with one name, each with a device whose serial number says which. */
  async function addTwins(hostname: string) {
    const add = async (serial: string) => {
      const node = await addNode(lab.api.database, lab.cluster, { hostname })
      const device = await addDevice(lab.api.database, lab.cluster, node, { name: 'd1', serial })
      return { node, device, uri: `/api/v1/nodes/${node}/` }
    }
    return [await add('FIRST'), await add('SECOND')] as const
  }

  it('are of the node that they were asked for, also where another has its host name', async () => {
    const [first, second] = await addTwins('twin')
    const { visitor, page } = await lab.enter(`/nodes/${second.node}/devices`)
    const choice = dialogOf(page).getByLabel('Device')
    const options = () => choice.locator('option').allInnerTexts()
    const latest = async () => (await silences()).at(-1).matchers
    await page.getByRole('row').filter({ hasText: 'SECOND' }).getByRole('link', { name: 'Silence …' }).click()
    await expect.poll(options).toEqual(['every device', 'd1 (SECOND)'])
    await choice.selectOption('every device')
    await press(page, 'Silence')
    await expect.poll(() => dialogOf(page).count()).toBe(0)
    expect(await latest()).toMatchObject({ node: second.uri, device: null })

    await page.getByRole('button', { name: 'New silence' }).click()
    await dialogOf(page).getByLabel('Node').fill('twin')
    await expect.poll(options).toEqual(['every device', 'd1 (FIRST)', 'd1 (SECOND)'])
    const { length } = await silences()
    await press(page, 'Silence')
    await dialogOf(page).getByText('2 nodes of this cluster have the name twin.').waitFor()
    expect(await silences()).toHaveLength(length)
    await choice.selectOption('d1 (FIRST)')
    await press(page, 'Silence')
    await expect.poll(() => dialogOf(page).count()).toBe(0)
    expect(await latest()).toMatchObject({ node: first.uri, device: `/api/v1/devices/${first.device}/` })
    visitor.expectNoErrors(/status of 401/)
  })

  it('are refused for a device of another node, also while its devices cannot be read', async () => {
    const [{ node, device, uri }] = await addTwins('pair')
    await addNode(lab.api.database, lab.cluster, { hostname: 'single' })
    const visitor = await lab.visit()
    await visitor.context.route(/\/trpc\/[^?]*devices\.list/, (route) => route.abort())
    const page = await visitor.open(`/alerts/silences?add=yes&node=pair&node_id=${node}&device=${device}`)
    await enterConsole(page, lab.api.key)
    const choice = dialogOf(page).getByLabel('Device')
    const failed = dialogOf(page).locator('.field-error')
    await failed.waitFor()
    expect(await choice.locator('option:checked').innerText()).toBe(`device ${device}`)
    expect(await faultsOf(page)).toEqual([])
    const { length } = await silences()
    await dialogOf(page).getByLabel('Node').fill('single')
    await press(page, 'Silence')
    await dialogOf(page).getByText('The device d1 is not of a node of this cluster with the name single.').waitFor()
    expect(await silences()).toHaveLength(length)
    await dialogOf(page).getByLabel('Node').fill('pair')
    await press(page, 'Silence')
    await expect.poll(() => dialogOf(page).count()).toBe(0)
    expect((await silences()).at(-1).matchers).toMatchObject({ node: uri, device: `/api/v1/devices/${device}/` })
    visitor.expectNoErrors(/status of 401|ERR_FAILED/)
  })

  it('get another end and another comment, and keep what was not changed', async () => {
    const ends = new Date(Date.now() + hourMs).toISOString()
    const body = { matchers: { code: 'DEVICE_FULL' }, ends_at: ends, comment: 'first' }
    expect((await lab.api.call('/api/v1/alert_silences/', { method: 'POST', body })).status).toBe(201)
    const { visitor, page } = await lab.enter('/alerts/silences')
    const row = page.getByRole('row').filter({ hasText: 'DEVICE_FULL' })
    const found = async () =>
      ((await silences()) as readonly { readonly matchers: object; readonly ends_at: string }[]).find(
        ({ matchers }) => (matchers as { readonly code: string }).code === 'DEVICE_FULL',
      )
    await row.getByRole('button', { name: 'Change …' }).press('Enter')
    await dialogOf(page).getByLabel('Comment').fill('second')
    await press(page, 'Save silence')
    await expect.poll(() => row.innerText()).toContain('second')
    expect(await found()).toMatchObject({ ends_at: ends, comment: 'second', until_worse: false })

    await row.getByRole('button', { name: 'Change …' }).click()
    const end = dialogOf(page).getByLabel('Ends', { exact: true })
    await end.fill('')
    await press(page, 'Save silence')
    await dialogOf(page).getByText('Enter a date and a time.').waitFor()
    await end.fill('20261-01-01T00:00')
    await dialogOf(page).getByText('The year has four digits.').waitFor()
    await end.fill(timeIn(31 * dayMs).text)
    await press(page, 'Save silence')
    await dialogOf(page).getByText('A silence may last at most 30 days.').waitFor()
    expect(await faultsOf(page)).toEqual([])
    const later = timeIn(29 * dayMs)
    await end.fill(later.text)
    await dialogOf(page).getByLabel('Until it becomes worse').check()
    await press(page, 'Save silence')
    await expect.poll(() => dialogOf(page).count()).toBe(0)
    expect(await found()).toMatchObject({ ends_at: later.at, comment: 'second', until_worse: true })
    visitor.expectNoErrors(/status of (400|401)/)
  })
})
