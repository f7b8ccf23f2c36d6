import { Worker } from 'node:worker_threads'
import { concurrencyLimit } from '@roost/runtime'
import { keepIndex } from '../../services/metric-definitions.js'
import type { WorkerResult } from './message-worker.js'
import type { ReadMessage } from './read-message.js'

/** Smaller ones are read faster than they are copied. */
export const largeMessageBytes = 64 << 10

/** After this time without a large message the thread ends, which returns its memory. */
const idleMs = 60_000

export interface LargeMessage {
  /** Undefined for what `parseMessage` refuses. */
  readonly read: ReadMessage | undefined
  /** CPU time of the other thread. */
  readonly cpuMs: number
}

interface Pending {
  resolve(result: WorkerResult): void
  reject(error: Error): void
}

/** Reads large messages on one other thread, one at a time, so that requests of clients do not wait for them. */
export class LargeMessages {
  readonly #oneAtATime = concurrencyLimit(1)
  readonly #maxWaitingBytes: number
  #waitingBytes = 0
  #worker: Worker | undefined
  #pending: Pending | undefined
  #idle: NodeJS.Timeout | undefined

  constructor(maxWaitingBytes: number) {
    this.#maxWaitingBytes = maxWaitingBytes
  }

  /** Returns undefined if too many wait. Rejects when the thread fails; the next message gets another one. */
  read(data: Buffer): Promise<LargeMessage> | undefined {
    if (this.#waitingBytes + data.length > this.#maxWaitingBytes) return undefined
    this.#waitingBytes += data.length
    return this.#oneAtATime(() => this.#ask(data)).finally(() => (this.#waitingBytes -= data.length))
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle)
    await this.#worker?.terminate()
  }

  async #ask(data: Buffer): Promise<LargeMessage> {
    clearTimeout(this.#idle)
    const worker = (this.#worker ??= this.#start())
    // A copy: the bytes may be a part of a larger buffer.
    const bytes = new Uint8Array(data)
    const result = await new Promise<WorkerResult>((resolve, reject) => {
      this.#pending = { resolve, reject }
      worker.postMessage(bytes, [bytes.buffer])
    })
    this.#idle = setTimeout(() => void this.close(), idleMs).unref()
    return { read: readOf(result), cpuMs: result.cpuMs }
  }

  #start(): Worker {
    const worker = new Worker(new URL('message-worker.js', import.meta.url))
    worker.unref()
    worker.on('message', (result: WorkerResult) => this.#pending?.resolve(result))
    worker.on('error', (error) => this.#pending?.reject(error))
    worker.on('exit', () => {
      this.#worker = undefined
      this.#pending?.reject(new Error('The thread that reads large messages has ended.'))
    })
    return worker
  }
}

function readOf({ raw, checked, index }: WorkerResult): ReadMessage | undefined {
  if (raw === undefined) return undefined
  if (index !== undefined && checked && 'message' in checked && 'metrics' in checked.message)
    keepIndex(checked.message.metrics, index)
  return { raw, check: () => checked }
}
