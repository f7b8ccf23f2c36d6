import { createTRPCClient, httpBatchStreamLink, httpSubscriptionLink, splitLink } from '@trpc/client'
import type { TRPCClient, TRPCClientError } from '@trpc/client'
import { maxBatchSize } from './verbs.js'
import type { AppRouter } from './router.js'

export { byNames } from './verbs.js'

export interface BrowserClientOptions {
  /** Where the router is, below the page's own origin, such as `/trpc`. */
  readonly url: string
}

/** An error of a call. `data.code` tells which, and `data.fields` the sentences for each faulty field. */
export type BrowserClientError = TRPCClientError<AppRouter>
export type BrowserClient = TRPCClient<AppRouter>

/** Longer batches are sent in several requests: proxies in front refuse long URLs. */
const maxUrlLength = 8_000

/**
 * Creates the typed client for a page that the control plane serves: the browser adds the cookie of the session. The answers
 * to a batch arrive one by one. A subscription is a stream of events, and goes on after an interruption where it was.
 */
export function createBrowserClient({ url }: BrowserClientOptions): BrowserClient {
  return createTRPCClient<AppRouter>({
    links: [
      splitLink({
        condition: ({ type }) => type === 'subscription',
        true: httpSubscriptionLink({ url }),
        false: httpBatchStreamLink({ url, maxURLLength: maxUrlLength, maxItems: maxBatchSize }),
      }),
    ],
  })
}
