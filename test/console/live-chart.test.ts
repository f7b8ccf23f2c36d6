import type { Page } from 'playwright-core'
import { afterAll, describe, expect, it } from 'vitest'
import { definitions, windowFrame, windowMs } from '../history/support.js'
import { addNode } from '../support/agents/fleet-rows.js'
import { SimulatedAgent } from '../support/agents/simulated-agent.js'
import { newIdentity } from '../support/agents/simulated-identity.js'
import { waitTimeoutMs } from '../support/clock/wait-until.js'
import { faultsOf } from '../support/console/browser.js'
import { hasBrowser, settled } from '../support/console/chromium.js'
import { useConsole } from '../support/console/console.js'

const patience = { timeout: waitTimeoutMs }
const metrics = definitions('load.shortterm', 'load.midterm', 'load.longterm')
/** Two windows with one between them that is missing, as is the last one that has ended. */
const end = Math.floor(Date.now() / windowMs) * windowMs
const windows = [end - 2 * windowMs, end - 4 * windowMs]

describe.skipIf(!hasBrowser)('a chart of a node', () => {
  const agents: SimulatedAgent[] = []
  const lab = useConsole()
  afterAll(() => {
    for (const agent of agents) agent.stop()
  })

  /** A node whose agent is connected, and has sent two windows of history with one between them missing. */
  async function addReportingNode(hostname: string): Promise<{ readonly id: number; readonly agent: SimulatedAgent }> {
    const { publicKey, ...identity } = newIdentity()
    const { uuid } = identity
    const id = await addNode(lab.api.database, lab.cluster, { uuid, publicKey, hostname, machineId: `machine-${uuid}` })
    const hello = { hostname, capabilities: ['metrics', 'history'] }
    const agent = new SimulatedAgent({ url: lab.api.url, ca: lab.api.ca, identity, hello, metrics })
    agents.push(agent)
    agent.dial()
    await agent.until(({ welcomed }) => welcomed === 1)
    for (const [i, startMs] of windows.entries())
      agent.sendBytes(windowFrame({ startMs, sequence: i + 1, columns: metrics.length, value: (column) => 1 + column }))
    await expect
      .poll(
        async () => (await lab.api.database.pool.query('select from metric_raw where owner_id = $1', [id])).rowCount,
      )
      .toBe(windows.length)
    return { id, agent }
  }

  const chart = (page: Page, name: string | RegExp = /^Load: /) => page.getByRole('group', { name })
  const saying = (shortterm: number) => `Load: longterm 3 count, midterm 2 count, shortterm ${shortterm} count`
  const picture = (page: Page) => page.evaluate<string>("document.querySelector('canvas').toDataURL()")
  /** The values of the table, the newest first. */
  const shorttermOf = (page: Page) => chart(page).locator('td:last-child').allInnerTexts()

  it('goes on with each reading without a reload, in its picture, its legend, its text and its table', async () => {
    const { id, agent } = await addReportingNode('st-live')
    const { visitor, page } = await lab.enter(`/nodes/${id}?range=1h`)
    await settled(page)
    let loads = 0
    page.on('load', () => (loads += 1))
    agent.sendFrame(Float64Array.of(4, 2, 3))
    await chart(page, saying(4)).waitFor(patience)
    const before = await picture(page)
    agent.sendFrame(Float64Array.of(7, 2, 3))
    await chart(page, saying(7)).waitFor(patience)
    expect(await picture(page)).not.toBe(before)
    await chart(page).locator('.legend').getByText('7 count').waitFor()
    await chart(page).getByRole('button', { name: 'As table' }).click()
    expect((await shorttermOf(page))[0]).toBe('7 count')
    expect(await faultsOf(page)).toEqual([])
    agent.sendFrame(Float64Array.of(6, 2, 3))
    await expect.poll(async () => (await shorttermOf(page))[0]).toBe('6 count')
    expect(loads).toBe(0)
    visitor.expectNoErrors(/status of 401/)
  })

  it('has a gap where nothing was read', async () => {
    const { id, agent } = await addReportingNode('st-gap')
    const { visitor, page } = await lab.enter(`/nodes/${id}?range=1h`)
    await settled(page)
    await chart(page, saying(1)).waitFor(patience)
    await chart(page).getByRole('button', { name: 'As table' }).click()
    const values = (await shorttermOf(page)).map((text) => (text === '–' ? ' ' : text.slice(0, 1))).join('')
    // A step of the hour is 30 s.
    const steps = windowMs / 30_000
    expect(values.trim()).toBe(`${'1'.repeat(steps)}${' '.repeat(steps)}${'1'.repeat(steps)}`)
    agent.sendFrame(Float64Array.of(9, 2, 3))
    // Between it and the history there is a gap, too.
    await expect.poll(async () => (await shorttermOf(page)).slice(0, 2)).toEqual(['9 count', '–'])
    visitor.expectNoErrors(/status of 401/)
  })
})
