import axe from 'axe-core'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { launchChromium } from './chromium.js'

export interface VisitorOptions {
  readonly theme?: 'light' | 'dark'
  readonly width?: number
  readonly height?: number
  /** Pixels of the screen for one of the page: 2 is what a browser does at a zoom of 200 %. */
  readonly scale?: number
  readonly language?: string
  /** Of the browser, such as `Asia/Tokyo`. */
  readonly timeZone?: string
}

/** One profile of a browser, whose tabs share a session. */
export interface Visitor {
  readonly context: BrowserContext
  /** Opens a tab. `path` such as `/nodes`. */
  open(path: string): Promise<Page>
  /** Fails if the pages reported an error, or asked another server. Tests call it last; expected errors are taken out by their text. */
  expectNoErrors(expected?: RegExp): void
}

/** Starts a browser for this suite. The returned function makes a visitor of a control plane. */
export function useBrowser(): (url: string, options?: VisitorOptions) => Promise<Visitor> {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchChromium()
  })
  afterAll(() => browser.close())
  return async (url, options = {}) => {
    const { theme = 'light', width = 1280, height = 900, scale = 1, language = 'en-GB', timeZone } = options
    const context = await browser.newContext({
      baseURL: url,
      // The control plane has an authority of its own.
      ignoreHTTPSErrors: true,
      colorScheme: theme,
      reducedMotion: 'reduce',
      viewport: { width, height },
      deviceScaleFactor: scale,
      locale: language,
      ...(timeZone === undefined ? {} : { timezoneId: timeZone }),
    })
    const errors = recordErrors(context, new URL(url).origin)
    return {
      context,
      async open(path) {
        const page = await context.newPage()
        await page.goto(path)
        return page
      },
      expectNoErrors(expected) {
        expect(errors.filter((error) => expected === undefined || !expected.test(error))).toEqual([])
      },
    }
  }
}

/** Violations of the policy are errors of the console, too. */
function recordErrors(context: BrowserContext, origin: string): readonly string[] {
  const errors: string[] = []
  context.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') errors.push(message.text())
  })
  context.on('weberror', (error) => errors.push(String(error.error())))
  context.on('request', (request) => {
    if (new URL(request.url()).origin !== origin) errors.push(`asked ${request.url()}`)
  })
  return errors
}

interface Violation {
  readonly id: string
  readonly help: string
  readonly nodes: readonly { readonly html: string }[]
}

/** Returns what axe finds on the page that people with a disability cannot use, and whether it must be moved sideways to be read. */
export async function faultsOf(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source)
  const found = await page.evaluate<readonly Violation[]>('axe.run().then(({ violations }) => violations)')
  return [
    ...found.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes[0]?.html.slice(0, 300)}`),
    ...(await widthFaults(page)),
  ]
}

/** Returns by how much the page must be moved sideways to be read, if it must. */
export async function widthFaults(page: Page): Promise<readonly string[]> {
  const widths = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'
  const wider = await page.evaluate<number>(widths)
  return wider > 0 ? [`${wider} pixels wider than the window`] : []
}
