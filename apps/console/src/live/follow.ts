import { onlineManager } from '@tanstack/react-query'
import type { QueryClient } from '@tanstack/react-query'
import { setFollowing } from '../api/connection.js'
import { readSession } from '../api/session.js'
import { createRefresh } from './refresh.js'
import { changedKeys } from './shown-by.js'
import { readStream } from './stream.js'
import { joinTabs } from './tabs.js'

/** A server that is restarted, or a proxy that ends long answers, is back sooner. */
const lostMs = 5_000
const restMs = 2_000

/** Keeps what this tab shows up to date until `signal` ends. One tab of the browser reads the stream, for all of them. */
export function followChanges(queries: QueryClient, signal: AbortSignal): void {
  const refresh = createRefresh(queries, signal)
  let after: string | undefined
  const tabs = joinTabs((message) => {
    if (message.kind === 'connection') return setFollowing(message.isOpen)
    after = message.last
    refresh(message.keys)
  }, signal)
  const onLost = () => {
    // While no operator is logged in, the stream is refused.
    if (onlineManager.isOnline()) tabs.send({ kind: 'connection', isOpen: false })
  }
  tabs.lead(async () => {
    let lost: ReturnType<typeof setTimeout> | undefined
    const onOpen = () => {
      clearTimeout(lost)
      lost = undefined
      tabs.send({ kind: 'connection', isOpen: true })
    }
    const onInterrupted = () => {
      lost ??= setTimeout(onLost, lostMs)
    }
    while (!signal.aborted) {
      await readStream(
        {
          after,
          onOpen,
          onInterrupted,
          onBatch: (batch) => tabs.send({ kind: 'changed', keys: [...changedKeys(batch)], last: batch.last }),
        },
        signal,
      )
      onInterrupted()
      await untilAllowed(queries, signal)
    }
    clearTimeout(lost)
  })
}

/** Waits until a session can read the stream. Asking for the session is not refused, so that it does not count as an attempt. */
async function untilAllowed(queries: QueryClient, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await new Promise((resolve) => setTimeout(resolve, restMs))
    // No operator is logged in.
    if (!onlineManager.isOnline()) continue
    const session = await readSession().catch(() => undefined)
    if (session) return
    // The session has ended: a query that is refused shows the login.
    if (session === null) await queries.invalidateQueries()
  }
}
