import { createTRPCClient, httpBatchLink, httpBatchStreamLink, isTRPCClientError, splitLink } from '@trpc/client'
import type { TRPCClient, TRPCClientError, TRPCLink } from '@trpc/client'
import { Agent, fetch as undiciFetch } from 'undici'
import { maxBatchSize } from './verbs.js'
import type { AppRouter } from './router.js'
import { createSubscriptions } from './subscriptions.js'

export { byNames } from './verbs.js'
export type { NamedListInput } from './verbs.js'

/** Where the control plane is and how to authenticate. */
export interface ClientOptions {
  /** The control plane's address, such as `https://roost.example:8443`. */
  readonly url: string
  /** `name:key`, as in the file `admin.apikey`. */
  readonly apiKey: string
  /** PEM of the certificate authority to trust; the system's otherwise. */
  readonly ca?: string
  /** Sent with every call, such as an X-Request-Id that the audit shows with all of them. */
  readonly headers?: Readonly<Record<string, string>>
  /** Has the server only check every write, as `validate_only` of one does. */
  readonly validateOnly?: boolean
  /** After which a call without an answer fails with a `TimeoutError`; without it, as long as the connection lasts. */
  readonly timeoutMs?: number
}

/** A typed client. Call `close` when it is no longer needed. */
export interface Client {
  readonly rpc: TRPCClient<AppRouter>
  /** Ends every call, subscription and connection, so that the process can end. */
  readonly close: () => Promise<void>
}

/** An error of a call. `data.code` tells which, and `data.fields` the sentences for each faulty field. */
export type ClientError = TRPCClientError<AppRouter>

/** Whether an error was thrown by a call of this client. `data` is undefined if no server answered. */
export function isClientError(error: unknown): error is ClientError {
  return isTRPCClientError<AppRouter>(error)
}

type Fetch = (input: string | URL, init?: object) => Promise<Response>

/**
 * Ends a call that gets no answer in time. The end of the call itself ends it, too. The timer keeps the controller: a signal of
 * AbortSignal.any may be collected with its listeners before it fires.
 */
function withTimeout(fetch: Fetch, timeoutMs: number): Fetch {
  return (input, init: { readonly signal?: AbortSignal } = {}) => {
    const ending = new AbortController()
    const { signal } = init
    signal?.addEventListener('abort', () => ending.abort(signal.reason), { once: true, signal: ending.signal })
    if (signal?.aborted) ending.abort(signal.reason)
    const late = () => ending.abort(new DOMException(`no answer within ${timeoutMs / 1000} s`, 'TimeoutError'))
    setTimeout(late, timeoutMs).unref()
    return fetch(input, { ...init, signal: ending.signal })
  }
}

const checkWrites: TRPCLink<AppRouter> =
  () =>
  ({ op, next }) =>
    next(op.type === 'mutation' ? { ...op, input: { ...Object(op.input), validate_only: true } } : op)

/** Creates a typed client of the tRPC API, for Node. It connects at the first call; nothing is checked before that. */
export function createClient(options: ClientOptions): Client {
  const { url, apiKey, ca, headers: further = {}, validateOnly = false, timeoutMs } = options
  const agent = new Agent({ connect: ca === undefined ? {} : { ca } })
  const headers = { ...further, authorization: `apikey ${apiKey.trim()}` }
  const endpoint = new URL('/trpc', url).href
  // undici's own fetch with undici's own dispatcher: Node's built-in one may refuse a dispatcher of another undici.
  const fetch = (input: string | URL, init?: object) =>
    undiciFetch(input, { ...init, dispatcher: agent }) as unknown as Promise<Response>
  const limited = timeoutMs === undefined ? fetch : withTimeout(fetch, timeoutMs)
  const batches = { url: endpoint, headers, fetch: limited as never, maxItems: maxBatchSize }
  const subscriptions = createSubscriptions({ url: endpoint, headers, fetch })
  const rpc = createTRPCClient<AppRouter>({
    links: [
      ...(validateOnly ? [checkWrites] : []),
      splitLink({
        condition: (op) => op.type === 'subscription',
        true: subscriptions.link,
        false: splitLink({
          condition: (op) => op.path === 'metrics.across',
          true: httpBatchStreamLink(batches),
          false: httpBatchLink(batches),
        }),
      }),
    ],
  })
  return {
    rpc,
    async close() {
      subscriptions.end()
      await agent.destroy()
    },
  }
}
