import { useSyncExternalStore } from 'react'

/** `connecting`: nothing has arrived yet · `lost`: the control plane does not answer · `paused`: the tab is hidden. */
export type Connection = 'connecting' | 'live' | 'lost' | 'paused'

let connection: Connection = 'connecting'
const listeners = new Set<() => void>()

export function setConnection(next: Connection): void {
  if (next === connection) return
  connection = next
  for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Returns how the page is connected to the control plane. */
export function useConnection(): Connection {
  return useSyncExternalStore(subscribe, () => connection)
}
