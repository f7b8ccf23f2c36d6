import { base } from '../api/base.js'

/** What the tab with the stream sends to the other tabs of the browser. */
export type TabMessage =
  /** `last` names the batch, so that another tab can go on after it. */
  | { readonly kind: 'changed'; readonly keys: readonly string[]; readonly last: string }
  | { readonly kind: 'connection'; readonly isOpen: boolean }

interface Ask {
  readonly kind: 'ask'
}

const name = `roost ${base}`

export interface Tabs {
  /** Hands a message to this tab and to all others. */
  readonly send: (message: TabMessage) => void
  /** Runs `lead` as soon as no other tab does so; its signal ends with that of the tab. */
  readonly lead: (lead: () => Promise<void>) => void
}

/** Joins the tabs of this browser until `signal` ends. A tab that joins receives the state of the connection. */
export function joinTabs(onMessage: (message: TabMessage) => void, signal: AbortSignal): Tabs {
  const channel = new BroadcastChannel(name)
  let connection: TabMessage | undefined
  let isLeading = false
  channel.addEventListener('message', ({ data }: MessageEvent<TabMessage | Ask>) => {
    if (data.kind !== 'ask') onMessage(data)
    else if (isLeading && connection !== undefined) channel.postMessage(connection)
  })
  channel.postMessage({ kind: 'ask' } satisfies Ask)
  signal.addEventListener('abort', () => channel.close(), { once: true })
  return {
    send(message) {
      if (signal.aborted) return
      if (message.kind === 'connection') connection = message
      onMessage(message)
      channel.postMessage(message)
    },
    lead(lead) {
      const run = () => {
        isLeading = true
        return lead()
      }
      // It rejects if the tab leaves before its turn.
      void navigator.locks.request(name, { signal }, run).catch(() => undefined)
    },
  }
}
