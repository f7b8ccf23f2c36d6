import { createTRPCClient, httpBatchLink, httpBatchStreamLink, httpSubscriptionLink, splitLink } from '@trpc/client'
import type { TRPCClient } from '@trpc/client'
import { EventSource } from 'eventsource'
import { Agent, fetch as undiciFetch } from 'undici'
import type { AppRouter } from './router.js'

export interface ClientOptions {
  /** The control plane's address, such as `https://roost.example:8443`. */
  readonly url: string
  /** `name:key`, as in the file `admin.apikey`. */
  readonly apiKey: string
  /** PEM of the certificate authority to trust; the system's otherwise. */
  readonly ca?: string
}

export interface Client {
  readonly rpc: TRPCClient<AppRouter>
  /** Ends every connection, so that the process can end. */
  close(): Promise<void>
}

export function createClient({ url, apiKey, ca }: ClientOptions): Client {
  const agent = new Agent({ connect: ca === undefined ? {} : { ca } })
  const headers = { authorization: `apikey ${apiKey}` }
  const endpoint = new URL('/trpc', url).href
  // undici's own fetch with undici's own dispatcher: Node's built-in one may refuse a dispatcher of another undici.
  const fetch = (input: string | URL, init?: object) =>
    undiciFetch(input, { ...init, dispatcher: agent }) as unknown as Promise<Response>
  const rpc = createTRPCClient<AppRouter>({
    links: [
      splitLink({
        condition: (op) => op.type === 'subscription',
        true: httpSubscriptionLink({
          url: endpoint,
          EventSource: EventSource as never,
          eventSourceOptions: {
            fetch: (input: string | URL, init: { readonly headers: Record<string, string> }) =>
              fetch(input, { ...init, headers: { ...init.headers, ...headers } }),
          } as never,
        }),
        false: splitLink({
          condition: (op) => op.path === 'metrics.across',
          true: httpBatchStreamLink({ url: endpoint, headers, fetch: fetch as never }),
          false: httpBatchLink({ url: endpoint, headers, fetch: fetch as never }),
        }),
      }),
    ],
  })
  return { rpc, close: () => agent.destroy() }
}
