import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { runAgent, startAgentProcess } from '../support/agents/agent-program.js'
import { faultsOf } from '../support/console/browser.js'
import { hasBrowser, logIn } from '../support/console/chromium.js'
import { useConsole } from '../support/console/console.js'

describe.skipIf(!hasBrowser)('nodes in the console', () => {
  const lab = useConsole()

  /** Enrolls a real agent with the line that the page shows, and runs it. */
  async function runLine(line: string): Promise<void> {
    const dataDir = await mkdtemp(join(tmpdir(), 'roost-agent-'))
    const [, command = '', ...args] = line.split(' ')
    expect(await runAgent(dataDir, [command, ...args])).toMatchObject({ code: 0 })
    const agent = startAgentProcess(dataDir)
    onTestFinished(async () => {
      await agent.stop()
      await rm(dataDir, { recursive: true, force: true })
    })
  }

  const node = async () => (await lab.api.get('/api/v1/nodes/')).body.objects[0]
  const confirm = (page: Page, name: string) =>
    page.getByRole('dialog').getByRole('button', { name, exact: true }).click()

  it('are added by a line, appear by themselves, are granted roles, and are removed by their name', async () => {
    const visitor = await lab.visit()
    const page = await visitor.open('/nodes')
    await logIn(page, lab.api.key)
    await page.getByRole('button', { name: 'Add node' }).first().click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Number of nodes').fill('none')
    await dialog.getByRole('button', { name: 'Create the line' }).click()
    await dialog.getByText('Enter a number from 1 to 1000.').waitFor()
    await dialog.getByLabel('Number of nodes').fill('1')
    expect(await faultsOf(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Create the line' }).click()
    await dialog.getByText('Waiting for a node').waitFor()
    await runLine(await dialog.locator('code', { hasText: 'roost-agent enroll' }).innerText())
    const { hostname } = await node()
    await expect.poll(() => dialog.getByRole('listitem').innerText()).toContain('online')
    await dialog.getByRole('link', { name: hostname }).click()
    await expect.poll(() => page.locator('h1').innerText()).toBe(hostname)

    await page.getByRole('button', { name: 'Grant', exact: true }).first().click()
    await confirm(page, 'Grant the role')
    await expect.poll(async () => (await node()).roles_granted).toEqual(['runs_gateway'])
    await page.getByRole('button', { name: 'Revoke', exact: true }).click()
    await confirm(page, 'Revoke the role')
    await expect.poll(async () => (await node()).roles_granted).toEqual([])
    await page.getByRole('button', { name: 'Disable' }).click()
    await expect.poll(async () => (await node()).enabled).toBe(false)
    expect(await faultsOf(page)).toEqual([])

    await page.getByRole('button', { name: 'Remove', exact: true }).click()
    const remove = page.getByRole('dialog').getByRole('button', { name: 'Remove the node' })
    expect(await remove.isDisabled()).toBe(true)
    await page.getByRole('dialog').getByRole('textbox').fill(hostname)
    await remove.click()
    await expect.poll(() => page.locator('h1').innerText()).toBe('Nodes')
    await page.getByText('No node has enrolled yet').waitFor()
    expect((await lab.api.get('/api/v1/nodes/')).body.meta.total_count).toBe(0)
    visitor.expectNoErrors(/status of 401/)
  })

  it.each([
    [
      'Prepare its storage servers',
      ['Grant the role proxy', 'Prepare the machine for these roles'],
      ['proxy', 'storage'],
    ],
    ['Prepare its storage servers', [], ['storage']],
    ['Grant the role gateway', ['Prepare the machine for these roles'], ['gateway']],
    ['Grant the role gateway', [], []],
  ])('are added by lines that prepare what was chosen: %s %j', async (first, others, roles) => {
    const { visitor, page } = await lab.enter('/nodes')
    await page.getByRole('button', { name: 'Add node' }).first().click()
    const dialog = page.getByRole('dialog')
    for (const label of [first, ...others]) await dialog.getByLabel(label).check()
    expect(await faultsOf(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Create the line' }).click()
    await dialog.getByText('Waiting for a node').waitFor()
    const [enroll, ...lines] = await dialog.locator('code').allInnerTexts()
    expect(enroll).toMatch(/^roost-agent enroll /)
    expect(lines).toEqual([...roles.map((role) => `roost-agent ${role} prepare --yes`), 'roost-agent run'])
    visitor.expectNoErrors()
  })
})
