import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { hasBrowser, logIn } from '../support/console/chromium.js'
import { useConsole } from '../support/console/console.js'
import { startTcpProxy } from '../support/programs/tcp-proxy.js'

/** Refused requests are lines of the browser's console, and so are streams that the control plane ends with their session. */
const refused = /status of 401|ERR_INCOMPLETE_CHUNKED_ENCODING/

const mainHeading = (page: Page) => page.getByRole('heading', { level: 1 })

describe.skipIf(!hasBrowser)('the session of the console', () => {
  const lab = useConsole()

  it('begins with the key of an operator, and no script can read it', async () => {
    const visitor = await lab.visit()
    const page = await visitor.open('/nodes')
    await logIn(page, 'admin:wrong')
    await expect.poll(() => page.getByRole('alert').textContent()).toContain('not valid')
    await logIn(page, lab.api.key)
    await expect.poll(() => mainHeading(page).textContent()).toBe('Nodes')
    await page.reload()
    await expect.poll(() => mainHeading(page).textContent()).toBe('Nodes')
    const stored = await page.evaluate<string>('document.cookie + JSON.stringify([localStorage, sessionStorage])')
    expect(stored).not.toContain(lab.api.key.split(':')[1])
    expect(stored).not.toContain('__Host-roost')
    visitor.expectNoErrors(refused)
  })

  it('ends by logging out, in every tab', async () => {
    const { visitor, page } = await lab.enter('/')
    const other = await visitor.open('/users')
    await expect.poll(() => mainHeading(other).textContent()).toBe('Users')
    await page.getByRole('button', { name: /^Account of/ }).click()
    await page.getByRole('button', { name: 'Log out' }).click()
    await expect.poll(() => mainHeading(page).textContent()).toBe('Log in')
    await expect.poll(() => other.getByText('Your session has ended').count()).toBe(1)
    visitor.expectNoErrors(refused)
  })

  it('shows the login above what was typed when the key is revoked, and goes on after it', async () => {
    const credentials = await lab.api.addOperator()
    const { visitor, page } = await lab.enter('/users/new', credentials)
    await page.getByLabel('Name', { exact: true }).fill('harriet')
    const name = credentials.split(':')[0] ?? ''
    const revoke = (revokedAt: Date | null) =>
      lab.api.database.prisma.apiKey.updateMany({ where: { operator: { name } }, data: { revokedAt } })
    await revoke(new Date())
    await expect.poll(() => page.getByText('Your session has ended').count()).toBe(1)
    await revoke(null)
    // Chosen in another browser meanwhile: it needs a new page, which waits until nothing is lost by it.
    await lab.api.database.prisma.operator.update({ where: { name }, data: { preferences: { language: 'de' } } })
    await logIn(page, credentials)
    await expect.poll(() => page.getByText('Your session has ended').count()).toBe(0)
    expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('harriet')
    await page.reload()
    await expect.poll(() => page.locator('html').getAttribute('lang')).toBe('de')
    visitor.expectNoErrors(refused)
  })

  it('offers an operator who can only read nothing that would be refused', async () => {
    const { visitor, page } = await lab.enter('/shares', await lab.api.addOperator({ role: 'read_only' }))
    await expect.poll(() => mainHeading(page).textContent()).toBe('Shares')
    await page.goto('/users/new')
    await expect
      .poll(() =>
        page
          .getByRole('button', { name: /Create|Save/ })
          .first()
          .isDisabled(),
      )
      .toBe(true)
    visitor.expectNoErrors(refused)
  })

  it('follows the changes of others in seven tabs by one stream, and another tab goes on with it', async () => {
    const { visitor, page } = await lab.enter('/')
    const streams: Page[] = []
    visitor.context.on('request', (request) => {
      if (request.url().includes('events.watch')) streams.push(request.frame().page())
    })
    await page.reload()
    const tabs = [page]
    while (tabs.length < 7) tabs.push(await visitor.open('/users'))
    await page.goto('/users')
    for (const tab of tabs) await expect.poll(() => tab.getByRole('status').filter({ hasText: 'Live' }).count()).toBe(1)
    const before = performance.now()
    await addUser('first')
    for (const tab of tabs) {
      await tab.bringToFront()
      await expect.poll(() => tab.getByText('first', { exact: true }).count()).toBe(1)
    }
    console.log(`Seven tabs showed the change of another after ${Math.round(performance.now() - before)} ms.`)
    expect(new Set(streams.slice(-1)).size).toBe(1)
    const leader = streams.at(-1) as Page
    await leader.close()
    await expect.poll(() => streams.at(-1) !== leader).toBe(true)
    const [rest] = tabs.filter((tab) => tab !== leader)
    await addUser('second')
    await rest?.bringToFront()
    await expect.poll(() => rest?.getByText('second', { exact: true }).count()).toBe(1)
    visitor.expectNoErrors(refused)
  })

  it('says that the control plane is away, and continues by itself', async () => {
    const proxy = await startTcpProxy({ port: Number(new URL(lab.api.url).port) })
    const visitor = await lab.visit({ url: `https://127.0.0.1:${proxy.port}` })
    const page = await visitor.open('/users')
    await logIn(page, lab.api.key)
    await expect.poll(() => page.getByRole('status').filter({ hasText: 'Live' }).count()).toBe(1)
    proxy.set({ kind: 'refuse' })
    proxy.reset()
    await expect.poll(() => page.getByText('The control plane does not answer').count()).toBe(1)
    proxy.set({ kind: 'pass' })
    await expect.poll(() => page.getByText('The control plane does not answer').count()).toBe(0)
    await addUser('while-away')
    await expect.poll(() => page.getByText('while-away', { exact: true }).count()).toBe(1)
    visitor.expectNoErrors(/status of 401|ERR_/)
    await visitor.context.close()
    await proxy.close()
  })

  async function addUser(name: string): Promise<void> {
    const body = { user: name, cluster: `/api/v1/clusters/${lab.cluster}/`, password: 'correct-horse-battery' }
    const { status, text } = await lab.api.call('/api/v1/users/', { method: 'POST', body })
    expect([status, text]).toEqual([201, expect.any(String)])
  }
})
