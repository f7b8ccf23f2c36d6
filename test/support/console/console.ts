import type { Page } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { startApi } from '../http/api.js'
import type { TestApi } from '../http/api.js'
import { useBrowser } from './browser.js'
import type { Visitor, VisitorOptions } from './browser.js'
import { enterConsole } from './chromium.js'

/** A control plane, and the browser that visits its console. */
export interface ConsoleLab {
  readonly api: TestApi
  /** The id of the first cluster. */
  readonly cluster: number
  /** `url`: another way to the control plane than its own. */
  visit(options?: VisitorOptions & { readonly url?: string }): Promise<Visitor>
  /** Visits a path, and logs in there. `credentials` are those of the first operator unless given. */
  enter(path: string, credentials?: string): Promise<{ readonly visitor: Visitor; readonly page: Page }>
}

/** Starts a control plane and a browser for all tests of the calling block. `prepare` adds what they show; `env` has further variables. */
export function useConsole(
  prepare: (api: TestApi) => Promise<void> = async () => {},
  env: Readonly<Record<string, string>> = {},
): ConsoleLab {
  const visit = useBrowser()
  let api: TestApi
  let cluster: number
  beforeAll(async () => {
    api = await startApi(env)
    cluster = (await api.database.prisma.cluster.findFirstOrThrow()).id
    await prepare(api)
  })
  afterAll(() => api.stop())
  return {
    get api() {
      return api
    },
    get cluster() {
      return cluster
    },
    visit: ({ url = api.url, ...options } = {}) => visit(url, options),
    async enter(path, credentials = api.key) {
      const visitor = await visit(api.url)
      const page = await visitor.open(path)
      await enterConsole(page, credentials)
      return { visitor, page }
    },
  }
}
