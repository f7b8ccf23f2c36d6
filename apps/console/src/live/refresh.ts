import type { QueryClient } from '@tanstack/react-query'

/** A fleet with much to do changes every second: what is shown of it is read at most that often. */
const restMs = 2_000

/** Returns a function that has queries read again whose keys begin with one of some words: at once, or after a rest. */
export function createRefresh(queries: QueryClient, signal: AbortSignal): (keys: Iterable<string>) => void {
  const waiting = new Set<string>()
  let timer: ReturnType<typeof setTimeout> | undefined
  const refresh = () => {
    const keys = [...waiting]
    waiting.clear()
    timer = keys.length > 0 && !signal.aborted ? setTimeout(refresh, restMs) : undefined
    // A hidden tab reads nothing until it is shown: what is out of date is read then.
    const refetchType = document.hidden ? 'none' : 'active'
    for (const key of keys) void queries.invalidateQueries({ queryKey: [key], refetchType })
  }
  return (keys) => {
    for (const key of keys) waiting.add(key)
    if (timer === undefined) refresh()
  }
}
