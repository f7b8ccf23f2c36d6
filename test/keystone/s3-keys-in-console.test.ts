import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { faultsOf } from '../support/console/browser.js'
import { hasBrowser } from '../support/console/chromium.js'
import { useConsole } from '../support/console/console.js'
import { waitForJob } from '../support/gateway/deployment-lab.js'
import { isKeystoneEnabled, startKeystone } from '../support/keystone/keystone.js'
import type { Keystone } from '../support/keystone/keystone.js'
import type { KeystoneSession } from '../support/keystone/session.js'

const canRun = isKeystoneEnabled && hasBrowser

describe.skipIf(!canRun)('keys for S3 in the console (as root, with ROOST_TEST_SYSTEM=1 and Chromium)', () => {
  const lab = useConsole()
  let keystone: Keystone
  let admin: KeystoneSession
  beforeAll(async () => {
    keystone = await startKeystone()
    admin = await keystone.admin()
    await admin.make('/roles', 'role', { name: 'ResellerAdmin' })
    const login = { auth_url: keystone.url, user: 'admin', project: 'admin', key: keystone.adminPassword }
    await post(`/api/v1/clusters/${lab.cluster}/identity/`, { ...login, domain: 'of-console' })
  })
  afterAll(() => keystone?.remove())

  async function post(path: string, body: object) {
    const answer = await lab.api.call(path, { method: 'POST', body })
    expect([path, answer.status < 300, answer.text]).toEqual([path, true, expect.any(String)])
    return answer.body
  }
  const cluster = () => `/api/v1/clusters/${lab.cluster}/`
  const addUser = async (user: string): Promise<string> =>
    (await post('/api/v1/users/', { cluster: cluster(), user, password: 'correct-horse-battery-staple' })).id
  const deploy = async () =>
    waitForJob((path) => lab.api.get(path), await post('/api/v1/user_db_deployments/', { cluster: cluster() }))
  /** What Keystone has of a pair. */
  const secretOf = async (access: string): Promise<string | undefined> => {
    const { body } = await admin.call('GET', '/credentials?type=ec2')
    const blobs = (body['credentials'] as readonly { readonly blob: string }[]).map(({ blob }) => JSON.parse(blob))
    return blobs.find((pair) => pair.access === access)?.secret
  }
  const cardOf = (page: Page) => page.getByRole('region', { name: 'Keys for S3' })
  const creator = (page: Page) => cardOf(page).getByRole('button', { name: 'New access key' })
  const dialogOf = (page: Page) => page.getByRole('dialog')

  it('are created once Keystone has the user, shown once, and removed with consent', async () => {
    const id = await addUser('bob')
    const { visitor, page } = await lab.enter(`/users/${id}`)
    await cardOf(page).getByText('This user is not in Keystone yet').waitFor()
    expect(await creator(page).getAttribute('aria-disabled')).toBe('true')
    await deploy()
    await expect.poll(() => creator(page).getAttribute('aria-disabled')).toBe('false')
    await cardOf(page).getByText('No access key yet.').waitFor()

    await creator(page).press('Enter')
    await dialogOf(page).getByText('Roost does not show this again').waitFor()
    const [access = '', secret = ''] = await dialogOf(page).locator('code').allInnerTexts()
    expect(await secretOf(access)).toBe(secret)
    expect(await dialogOf(page).getByRole('button', { name: 'Copy' }).count()).toBe(2)
    expect(await faultsOf(page)).toEqual([])
    const done = dialogOf(page).getByRole('button', { name: 'Done' })
    expect(await done.isDisabled()).toBe(true)
    await dialogOf(page).getByLabel('I have stored it').check()
    await done.click()
    await cardOf(page).getByRole('row').filter({ hasText: access }).waitFor()
    expect(await page.content()).not.toContain(secret)
    expect(await faultsOf(page)).toEqual([])

    await cardOf(page).getByRole('button', { name: 'Remove …' }).click()
    await dialogOf(page).getByText('refused at once').waitFor()
    expect(await secretOf(access)).toBe(secret)
    await dialogOf(page).getByRole('button', { name: 'Remove the access key' }).click()
    await cardOf(page).getByText('No access key yet.').waitFor()
    expect(await secretOf(access)).toBeUndefined()

    const other = await post(`/api/v1/users/${id}/s3_credentials/`, {})
    await cardOf(page).getByRole('row').filter({ hasText: other.access_key }).waitFor()
    visitor.expectNoErrors(/status of 401/)
  })

  it('are shown to operators who may only read, and say what Keystone answered', async () => {
    const id = await addUser('amy')
    await deploy()
    const { access_key: access } = await post(`/api/v1/users/${id}/s3_credentials/`, {})
    const { visitor, page } = await lab.enter(`/users/${id}`, await lab.api.addOperator({ role: 'read_only' }))
    await cardOf(page).getByRole('row').filter({ hasText: access }).waitFor()
    expect(await creator(page).getAttribute('title')).toContain('read-only operator')
    await keystone.stop()
    await page.reload()
    await cardOf(page).getByText('This could not be read.').waitFor()
    await cardOf(page)
      .getByText(`Keystone at ${new URL(keystone.url).origin} does not answer`)
      .waitFor()
    await keystone.start()
    await cardOf(page).getByRole('button', { name: 'Try again' }).click()
    await cardOf(page).getByRole('row').filter({ hasText: access }).waitFor()
    visitor.expectNoErrors(/status of (401|503)/)
  })
})
