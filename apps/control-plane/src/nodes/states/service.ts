import type { NodeState, NodeStateChange, NodeStateService } from '@roost/api-types/rpc'
import type { Clock } from '@roost/runtime'
import { StateLog } from './state-log.js'

export interface NodeStateStore {
  /** Returns the state of every node. */
  states(): Promise<readonly NodeState[]>
}

interface Subscriber {
  /** The version of the log that it has received. */
  version: number
  wake(this: void): void
}

const periodMs = 1_000

/** Reads the database once a period and compares once, for any number of subscribers; nothing is queued for a slow one. */
export function createNodeStates(store: NodeStateStore, clock: Pick<Clock, 'after'>): NodeStateService {
  const subscribers = new Set<Subscriber>()
  let log = new StateLog()
  let isPolling = false

  async function poll(): Promise<void> {
    // What cannot be read has not changed.
    const states = await store.states().catch(() => undefined)
    if (subscribers.size === 0) {
      log = new StateLog()
      isPolling = false
      return
    }
    log.forgetRemoved(Math.min(...[...subscribers].map(({ version }) => version)))
    if (states !== undefined && log.update(states)) for (const { wake } of subscribers) wake()
    clock.after(periodMs, () => void poll())
  }

  function add(): Subscriber {
    const subscriber = { version: 0, wake: () => {} }
    subscribers.add(subscriber)
    if (!isPolling) void poll()
    isPolling = true
    return subscriber
  }

  async function* watch(signal: AbortSignal): AsyncGenerator<readonly NodeStateChange[]> {
    if (signal.aborted) return
    const subscriber = add()
    const end = () => {
      subscribers.delete(subscriber)
      subscriber.wake()
    }
    signal.addEventListener('abort', end)
    try {
      while (!signal.aborted) {
        const { version } = log
        if (version === subscriber.version) await new Promise<void>((resolve) => (subscriber.wake = resolve))
        else {
          const changes = log.since(subscriber.version)
          subscriber.version = version
          yield changes
        }
      }
    } finally {
      end()
      signal.removeEventListener('abort', end)
    }
  }

  return { watch }
}
