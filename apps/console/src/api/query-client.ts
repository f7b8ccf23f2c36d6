import { onlineManager, QueryCache, QueryClient } from '@tanstack/react-query'
import { isCallError, isLoggedOut } from './client.js'
import { setConnection } from './connection.js'

const retries = 2

// What the browser knows of its network says nothing about the control plane, which may be on this machine.
onlineManager.setEventListener(() => () => {})

/** Asks for nothing while no operator is logged in: each refused request counts against this address. */
export function pauseQueries(): void {
  onlineManager.setOnline(false)
}

export function resumeQueries(): void {
  onlineManager.setOnline(true)
}

/** Returns true for an error without an answer: the next attempt may reach the control plane. */
function isUnreachable(error: unknown): boolean {
  return isCallError(error) && error.data === undefined
}

/** Creates the cache of answers. `onLoggedOut` is called when the session has ended. */
export function createQueryClient(onLoggedOut: () => void): QueryClient {
  const queryCache = new QueryCache({
    onSuccess: () => setConnection('live'),
    onError: (error) => {
      if (isLoggedOut(error)) onLoggedOut()
      else if (isUnreachable(error)) setConnection('lost')
    },
  })
  const queries = {
    staleTime: 5_000,
    retry: (failures: number, error: unknown) => isUnreachable(error) && failures < retries,
  }
  // What was sent and answered can be a password or a key: it is forgotten with the form or dialog that had it.
  const mutations = { gcTime: 0 }
  return new QueryClient({ queryCache, defaultOptions: { queries, mutations } })
}
