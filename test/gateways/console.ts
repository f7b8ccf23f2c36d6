import type { Locator } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { faultsOf, useBrowser } from '../support/console/browser.js'
import { hasBrowser, logIn } from '../support/console/chromium.js'
import type { GatewayLab } from '../support/gateway/lab.js'

/** What an operator may need from nothing to a share that a client has mounted. */
const promised = { clicks: 12, seconds: 120 }

export function describeConsole(lab: GatewayLab): void {
  describe.skipIf(!hasBrowser)('the console', () => {
    const visit = useBrowser()

    it('takes a share from nothing to a client, with the plan in between', async () => {
      await lab.setStorage()
      const visitor = await visit(lab.api.url)
      const { cluster } = await lab.get(lab.node)
      const page = await visitor.open(`/?cluster=${/(\d+)\/$/.exec(cluster)?.[1]}`)
      await logIn(page, lab.api.key)
      const begun = performance.now()
      let clicks = 0
      const click = async (element: Locator) => {
        clicks += 1
        await element.click()
      }
      const write = async (label: string, text: string) => {
        clicks += 1
        await page.getByLabel(label, { exact: true }).fill(text)
      }
      await click(page.getByRole('link', { name: 'Shares', exact: true }))
      await click(page.getByRole('link', { name: 'New share' }).first())
      await click(page.getByRole('radio', { name: 'SMB (CIFS)' }))
      await write('Name', 'by-console')
      await write('Container', 'by-console')
      await click(page.getByText('More settings'))
      await write('Cache (MB)', '256')
      await click(page.getByRole('button', { name: 'Save and review the deployment' }))
      const deploy = page.getByRole('button', { name: 'Deploy to 1 node' })
      await deploy.waitFor({ timeout: 120_000 })
      expect(await page.getByRole('main').innerText()).toContain('[by-console]')
      expect(await faultsOf(page)).toEqual([])
      await click(deploy)
      await expect.poll(() => page.getByRole('main').innerText(), { timeout: 240_000 }).toContain('succeeded')
      const [share] = (await lab.get('/api/v1/gateway_shares/?name=by-console')).objects
      onTestFinished(() => lab.remove(share.resource_uri))
      const md5 = await lab.makeFile('by-console.bin', 100_000)
      const { code, stdout, stderr } = await lab.smb('by-console', 'put by-console.bin')
      expect([code, stdout, stderr]).toEqual([0, expect.any(String), expect.any(String)])
      const seconds = (performance.now() - begun) / 1000
      console.log(
        `${clicks} clicks and fields (at most ${promised.clicks}), ${seconds.toFixed(0)} s (${promised.seconds}).`,
      )
      expect(clicks).toBeLessThanOrEqual(promised.clicks)
      expect(seconds).toBeLessThan(promised.seconds * 3)
      await expect
        .poll(async () => (await lab.objects.find('by-console', 'by-console.bin'))?.etag, { timeout: 180_000 })
        .toBe(md5)
      expect(await faultsOf(page)).toEqual([])
      visitor.expectNoErrors(/status of 401/)
    })
  })
}
