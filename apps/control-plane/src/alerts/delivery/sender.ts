import { resourceUri } from '@roost/api-types/rest'
import { errorText, SerialQueue } from '@roost/runtime'
import { fp } from '@roost/failpoints'
import type { ClaimedDelivery, QueueStore } from './queue-store.js'
import type { Deliver } from './deliver.js'
import type { MessageStore } from './message-store.js'
import { nextAttemptMs } from './schedule.js'

export type DeliveryResult = 'delivered' | 'failed' | 'given_up' | 'canceled'

export interface SenderOptions {
  readonly store: QueueStore
  readonly messages: MessageStore
  readonly deliver: Pick<Deliver, 'message'>
  readonly counted: (result: DeliveryResult) => void
  /** Unix milliseconds. */
  readonly now: () => number
}

export interface Sender {
  /** Sends every message that is due, once. */
  run(): Promise<void>
  /** Messages that wait, as of the last run. */
  readonly waiting: number
  /** Begins no more attempts, and waits for those that have begun. */
  stop(): Promise<void>
}

/** A slow receiver delays others only when there are as many of them. */
const receiversAtOnce = 8

/** Sends the messages of the outbox: to each receiver one at a time, and to others meanwhile. */
export function createSender(options: SenderOptions): Sender {
  const { store, now } = options
  const queue = new SerialQueue()
  const state = { waiting: 0, isStopped: false }
  const sendAll = async () => {
    const left = new Set<number>()
    const claims = new SerialQueue()
    const worker = async () => {
      while (!state.isStopped) {
        // One after the other: each claims for another receiver.
        const claimed = await claims.run(async () => {
          const next = await store.claim(new Date(now()), [...left])
          if (next !== undefined) left.add(next.receiverId)
          return next
        })
        if (claimed === undefined) return
        const isDelivered = await attempt(claimed, options)
        // One that does not answer is not asked again in this run.
        if (isDelivered) left.delete(claimed.receiverId)
      }
    }
    await Promise.all(Array.from({ length: receiversAtOnce }, worker))
    state.waiting = await store.countWaiting()
  }
  return {
    run: () => queue.run(sendAll),
    get waiting() {
      return state.waiting
    },
    async stop() {
      state.isStopped = true
      await queue.settled()
    },
  }
}

/** Returns whether the receiver answered, or there was nothing to send. */
async function attempt(
  claimed: ClaimedDelivery,
  { store, messages, deliver, counted, now }: SenderOptions,
): Promise<boolean> {
  const { id, receiverId, attempts, expiresMs } = claimed
  const sendable = await messages.open(id)
  if (sendable === undefined) return true
  const { receiver, message } = sendable
  if (message === null) {
    await store.canceled(id, new Date(now()))
    counted('canceled')
    return true
  }
  fp('cp.alerts.beforeSend')
  try {
    await deliver.message(receiver, message, resourceUri('alert_deliveries', id))
  } catch (error) {
    const nowMs = now()
    const nextMs = nextAttemptMs({ nowMs, attempts, expiresMs })
    const nextAt = nextMs === null ? null : new Date(nextMs)
    await store.failed(id, receiverId, { error: errorText(error), at: new Date(nowMs), nextAt })
    counted(nextMs === null ? 'given_up' : 'failed')
    return false
  }
  fp('cp.alerts.afterSend')
  await store.delivered(id, receiverId, new Date(now()))
  counted('delivered')
  return true
}
