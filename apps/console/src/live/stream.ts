import type { EventBatch } from '@roost/api-types/rest'
import { rpc } from '../api/client.js'
import { topics } from './shown-by.js'

interface Stream {
  /** The last batch that was seen: the stream goes on from there. */
  readonly after: string | undefined
  readonly onOpen: () => void
  /** It is interrupted. The browser connects again by itself. */
  readonly onInterrupted: () => void
  readonly onBatch: (batch: EventBatch) => void
}

/** A connection that a network swallows neither opens nor fails. */
const openMs = 10_000

/** Reads what changes in all clusters. Resolves when the stream has ended: by `signal`, refused by the control plane, or never open. */
export async function readStream(stream: Stream, signal: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const end = () => {
      clearTimeout(opening)
      signal.removeEventListener('abort', end)
      subscription.unsubscribe()
      resolve()
    }
    const opening = setTimeout(end, openMs)
    signal.addEventListener('abort', end)
    const subscription = rpc.events.watch.subscribe(
      { topics, after: stream.after },
      {
        onStarted: () => {
          clearTimeout(opening)
          stream.onOpen()
        },
        onData: ({ data }) => stream.onBatch(data),
        onConnectionStateChange: ({ state }) => {
          if (state === 'connecting') stream.onInterrupted()
        },
        onStopped: end,
        onComplete: end,
        onError: end,
      },
    )
  })
}
