import { useSyncExternalStore } from 'react'

/** `connecting`: nothing has arrived yet · `lost`: the control plane does not answer. */
export type Connection = 'connecting' | 'live' | 'lost'

let connection: Connection = 'connecting'
let isFollowing = false
const listeners = new Set<() => void>()

export function setConnection(next: Connection): void {
  if (next === connection) return
  connection = next
  for (const listener of listeners) listener()
}

/** Says whether the stream of changes is open. */
export function setFollowing(next: boolean): void {
  isFollowing = next
  setConnection(next ? 'live' : 'lost')
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Returns how the page is connected to the control plane. */
export function useConnection(): Connection {
  return useSyncExternalStore(subscribe, () => connection)
}

/** How often what is shown is read, in milliseconds: changes arrive by the stream, but ages and readings are in no change. */
export function refetchInterval(): number {
  return isFollowing ? 30_000 : 15_000
}
