import { createBrowserClient } from '@roost/api-types/browser'
import type { BrowserClientError } from '@roost/api-types/browser'
import { isTRPCClientError } from '@trpc/client'
import { pathOf } from './base.js'

/** The typed API. The browser adds the cookie of the session. */
export const rpc = createBrowserClient({ url: pathOf('trpc') })

/** Returns true for an error that a call of this client threw. `data` is undefined if no server answered. */
export function isCallError(error: unknown): error is BrowserClientError {
  return isTRPCClientError(error)
}

/** Returns true if the session has ended: the key was revoked, or its time is over. */
export function isLoggedOut(error: unknown): boolean {
  return isCallError(error) && error.data?.code === 'UNAUTHORIZED'
}
