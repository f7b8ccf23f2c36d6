import type { AppRouter } from '@roost/api-types/rpc'
import { createTRPCClient, httpBatchStreamLink, httpSubscriptionLink, isTRPCClientError, splitLink } from '@trpc/client'
import type { TRPCClientError } from '@trpc/client'
import { pathOf } from './base.js'

const url = pathOf('trpc')

/** The typed API. The browser adds the cookie of the session. */
export const rpc = createTRPCClient<AppRouter>({
  links: [
    splitLink({
      condition: ({ type }) => type === 'subscription',
      true: httpSubscriptionLink({ url }),
      // In a plain batch the page would wait for the slowest call.
      false: httpBatchStreamLink({ url, maxURLLength: 8_000, maxItems: 10 }),
    }),
  ],
})

/** Returns true for an error that a call of this client threw. `data` is undefined if no server answered. */
export function isCallError(error: unknown): error is TRPCClientError<AppRouter> {
  return isTRPCClientError<AppRouter>(error)
}

/** Returns true if the session has ended: the key was revoked, or its time is over. */
export function isLoggedOut(error: unknown): boolean {
  return isCallError(error) && error.data?.code === 'UNAUTHORIZED'
}
