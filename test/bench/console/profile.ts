import type { Browser, BrowserContext, Page } from 'playwright-core'
import { launchChromium, enterConsole } from '../../support/console/chromium.js'
import { createMeter } from './meter.js'
import type { Meter } from './meter.js'

export interface Tab {
  readonly page: Page
  readonly meter: Meter
  close(): Promise<void>
}

/** A browser whose profiles are logged in. */
export interface Profiles {
  /** Opens an empty tab in a new profile with an empty cache; `isLoggedIn` is true by default. */
  tab(isLoggedIn?: boolean): Promise<Tab>
  close(): Promise<void>
}

export async function openProfiles(url: string, credentials: string): Promise<Profiles> {
  // Twenty tabs need no twenty processes.
  const browser = await launchChromium(['--renderer-process-limit=4'])
  const first = await newContext(browser, url)
  const page = await first.newPage()
  await page.goto('/')
  await enterConsole(page, credentials)
  const session = await first.storageState()
  await first.close()
  return {
    async tab(isLoggedIn = true) {
      const context = await newContext(browser, url, isLoggedIn ? session : undefined)
      const opened = await context.newPage()
      return { page: opened, meter: await createMeter(opened), close: () => context.close() }
    },
    close: () => browser.close(),
  }
}

type StorageState = Awaited<ReturnType<BrowserContext['storageState']>>

function newContext(browser: Browser, baseURL: string, storageState?: StorageState): Promise<BrowserContext> {
  const viewport = { width: 1280, height: 800 }
  const session = storageState === undefined ? {} : { storageState }
  return browser.newContext({ baseURL, ignoreHTTPSErrors: true, locale: 'en-GB', viewport, ...session })
}
