import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { chromium } from 'playwright-core'
import type { Browser, Page } from 'playwright-core'

/** Chromium without its own windows and pages, which would take a third of the CPU of a suite. */
const executablePath = '/usr/bin/chromium-headless-shell'

/** False on a machine without this package of Debian, where suites of the console are skipped. */
export const hasBrowser = existsSync(executablePath)

/** Starts a browser. `args`: further arguments of its command line. */
export function launchChromium(args: readonly string[] = []): Promise<Browser> {
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : []
  return chromium.launch({ executablePath, args: [...sandbox, ...args] })
}

/** Logs in on a page that shows the login. `credentials` is `name:key`. */
export async function logIn(page: Page, credentials: string): Promise<void> {
  const [operator = '', key = ''] = credentials.split(':')
  await page.getByLabel('Operator').fill(operator)
  await page.getByLabel('API key').fill(key)
  await page.getByRole('button', { name: 'Log in' }).click()
}

/** Logs in, and waits until the page behind it is there. */
export async function enterConsole(page: Page, credentials: string): Promise<void> {
  await logIn(page, credentials)
  await page.getByRole('button', { name: /^Account of/ }).waitFor()
}

/** Waits until nothing on the page is loading. */
export async function settled(page: Page): Promise<void> {
  await page.locator('h1').first().waitFor()
  // The policy of the page forbids the functions that Playwright would wait for in it.
  while ((await page.locator('[aria-busy=true], .skeleton').count()) > 0) await sleep(25)
}
