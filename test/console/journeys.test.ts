import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { addAlert, addCluster } from '../support/agents/fleet-rows.js'
import { waitTimeoutMs } from '../support/clock/wait-until.js'
import { faultsOf } from '../support/console/browser.js'
import { hasBrowser } from '../support/console/chromium.js'
import { useConsole } from '../support/console/console.js'
import { addLabNode, waitForJob } from '../support/gateway/deployment-lab.js'
import type { LabNode } from '../support/gateway/deployment-lab.js'
import { currentFiles } from '../support/gateway/folder-applier.js'

const patience = { timeout: waitTimeoutMs }

describe.skipIf(!hasBrowser)('an operator of the console', () => {
  const lab = useConsole()

  const dialogOf = (page: Page) => page.getByRole('dialog')
  const press = (page: Page, name: string) => dialogOf(page).getByRole('button', { name, exact: true }).click()
  const configOf = async (node: LabNode) => (await lab.api.get(node.uri)).body.config_state

  /** A gateway of a cluster of its own, to which a share was deployed. */
  async function addGateway(cluster: string): Promise<LabNode> {
    const { controlPlane, database } = lab.api
    const node = await addLabNode(controlPlane, database, await addCluster(database, cluster))
    onTestFinished(() => node.remove())
    await node.start({ hostname: `gw-of-${cluster}` })
    const share = { name: 'docs', node: node.uri, objectstore_container: 'docs', enabled: true }
    await lab.api.call('/api/v1/gateway_shares/', { method: 'POST', body: share })
    const job = await lab.api.call('/api/v1/gateway_deployments/', { method: 'POST', body: { node: node.uri } })
    await waitForJob((path) => lab.api.get(path), job.body)
    return node
  }

  it('deploys a plan whose clients lose their session after typing the name of its cluster, not of the chosen one', async () => {
    const node = await addGateway('prod')
    node.behavior.sessionsLost = [{ share: 'docs', client: '10.0.0.7', user: 'amy' }]
    const [share] = (await lab.api.get(`/api/v1/gateway_shares/?node=${node.id}`)).body.objects
    await lab.api.patch(share.resource_uri, { access_mode: 'ro' })
    const { visitor, page } = await lab.enter(`/shares/${share.id}`)
    await page.getByRole('button', { name: /^Review/ }).click()
    const deploy = page.getByRole('button', { name: 'Deploy to 1 node' })
    const consent = page.getByLabel('1 client loses its session. Type prod to go on.')
    await consent.waitFor(patience)
    expect(await page.getByRole('main').innerText()).toContain('10.0.0.7')
    await consent.fill('default')
    expect(await deploy.getAttribute('aria-disabled')).toBe('true')
    expect(await faultsOf(page)).toEqual([])
    await consent.fill('prod')
    await deploy.click()
    await page.getByText('succeeded').waitFor(patience)
    expect([...(await currentFiles(node.dir)).values()]).toEqual(['docs\nro\n'])
    visitor.expectNoErrors(/status of 401/)
  })

  it('sees what was changed by hand, puts it back, and takes it over', async () => {
    const node = await addGateway('lab')
    const changeByHand = async (text: string) => {
      const [name = ''] = (await currentFiles(node.dir)).keys()
      await writeFile(join(node.dir, 'current', name), text)
      await node.stop()
      await node.start({ hostname: 'gw-of-lab' })
      await expect.poll(() => configOf(node), patience).toBe('drifted')
    }
    const { visitor, page } = await lab.enter('/')
    await page.getByLabel('Cluster', { exact: true }).selectOption('lab')
    await page.getByRole('link', { name: 'Drift', exact: true }).click()
    await page.getByText('No node differs from what was deployed').waitFor()
    await changeByHand('docs\nrw\nby hand\n')
    const drifted = page.getByRole('region', { name: 'gw-of-lab' })
    await drifted.getByText('by hand', { exact: false }).first().waitFor(patience)
    await drifted.getByText('cannot be taken over').waitFor()
    const adopt = drifted.getByRole('button', { name: 'Take over what is there' })
    expect(await adopt.getAttribute('aria-disabled')).toBe('true')
    expect(await faultsOf(page)).toEqual([])
    await drifted.getByRole('button', { name: 'Put back what was deployed' }).click()
    await dialogOf(page).getByRole('textbox').fill('gw-of-lab')
    await press(page, 'Put back what was deployed')
    await page.getByText('No node differs from what was deployed').waitFor(patience)
    expect([...(await currentFiles(node.dir)).values()]).toEqual(['docs\nrw\n'])

    await changeByHand('papers\nro\n')
    await drifted.getByText('can be taken over').waitFor(patience)
    await adopt.click()
    await press(page, 'Take over what is there')
    await page.getByText('No node differs from what was deployed').waitFor(patience)
    const [share] = (await lab.api.get(`/api/v1/gateway_shares/?node=${node.id}`)).body.objects
    expect(share).toMatchObject({ name: 'papers', access_mode: 'ro' })
    visitor.expectNoErrors(/status of 401/)
  })

  it('acknowledges an alert by the keyboard, which then needs no action, and takes that back', async () => {
    const { database } = lab.api
    const problem = {
      code: 'PROXY_ERRORS',
      subject: 'px-01',
      summary: 'px-01 answers 4 % of its requests with errors.',
    }
    const id = await addAlert(database, await addCluster(database, 'alerts'), problem)
    const alert = async () => (await lab.api.get(`/api/v1/alerts/${id}/`)).body
    const { visitor, page } = await lab.enter('/')
    await page.getByLabel('Cluster', { exact: true }).selectOption('alerts')
    const needsYou = page.getByRole('region', { name: 'Needs you' })
    await needsYou.getByText(problem.summary).waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('a')
    const row = page.getByRole('row').filter({ hasText: problem.summary })
    await row.waitFor()
    await page.getByRole('region', { name: 'Alerts', exact: true }).focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await dialogOf(page).getByText(problem.summary).waitFor()
    expect(await faultsOf(page)).toEqual([])
    await press(page, 'Acknowledge')
    await dialogOf(page).getByRole('button', { name: 'Not acknowledged' }).waitFor()
    expect(await alert()).toMatchObject({ acknowledged: true, acknowledged_by: 'admin' })
    expect(await dialogOf(page).innerText()).toMatch(/Acknowledged by\s+admin/)
    await page.keyboard.press('Escape')
    await expect.poll(() => row.count()).toBe(0)
    await page.getByRole('button', { name: 'Acknowledged', exact: true }).click()
    await row.waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('o')
    await needsYou.waitFor()
    await expect.poll(() => needsYou.getByText(problem.summary).count()).toBe(0)

    await page.goto(`${new URL(page.url()).origin}/alerts?alert=${id}`)
    await press(page, 'Not acknowledged')
    await dialogOf(page).getByRole('button', { name: 'Acknowledge', exact: true }).waitFor()
    expect(await alert()).toMatchObject({ acknowledged: false })
    visitor.expectNoErrors(/status of 401/)
  })

  it('adds another one with a key that is shown once, rotates the key, and revokes it', async () => {
    const { visitor, page } = await lab.enter('/access')
    const secret = async () => (await dialogOf(page).locator('code').innerText()).trim()
    const stored = async () => {
      const text = await secret()
      expect(await faultsOf(page)).toEqual([])
      await dialogOf(page).getByRole('checkbox').check()
      await press(page, 'Done')
      await expect.poll(() => dialogOf(page).count()).toBe(0)
      expect(await page.content()).not.toContain(text.split(':')[1])
      return text
    }
    const statusOf = async (credentials: string) =>
      (await lab.api.get('/api/v1/nodes/', { authorization: `apikey ${credentials}` })).status
    await page.getByRole('button', { name: 'New operator' }).click()
    await dialogOf(page).getByLabel('Name').fill('carol')
    await press(page, 'Add operator')
    await dialogOf(page).getByLabel('For what').fill('laptop')
    await press(page, 'Create key')
    const first = await stored()
    expect([first.split(':')[0], await statusOf(first)]).toEqual(['carol', 200])

    await page.getByRole('link', { name: 'Keys', exact: true }).click()
    const rows = page.getByRole('row').filter({ hasText: 'carol' })
    await rows.getByRole('button', { name: 'Rotate' }).click()
    await dialogOf(page).getByLabel('Overlap').selectOption('none')
    await press(page, 'Rotate')
    const second = await stored()
    await expect.poll(() => statusOf(first)).toBe(401)
    expect(await statusOf(second)).toBe(200)

    await rows.filter({ hasText: 'active' }).getByRole('button', { name: 'Revoke' }).click()
    await press(page, 'Revoke the key')
    await expect.poll(() => statusOf(second)).toBe(401)
    await expect.poll(() => rows.filter({ hasText: 'active' }).count()).toBe(0)
    visitor.expectNoErrors(/status of 401/)
  })
})
