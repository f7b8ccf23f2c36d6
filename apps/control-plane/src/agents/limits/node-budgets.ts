import type { Clock } from '@roost/runtime'
import { LRUCache } from 'lru-cache'
import { TokenBucket } from '../../services/token-bucket.js'

/** What the messages of one node may cost on average, and at once. Above it, its connection is read later. */
export interface BudgetOptions {
  readonly bytesPerSecond: number
  readonly byteBurst: number
  readonly cpuMsPerSecond: number
  readonly cpuMsBurst: number
  /** Inventories and catalogues, together. */
  readonly heavyMessagesPerSecond: number
  readonly heavyMessageBurst: number
}

interface Budget {
  readonly bytes: TokenBucket
  readonly cpuMs: TokenBucket
  readonly heavy: TokenBucket
}

/** The session whose messages are charged. Parked sessions have a budget of their own: a clone must not slow down the node. */
interface Payer {
  readonly agent: { readonly nodeId: number }
  readonly parked: string | null
}

const heavyKinds: ReadonlySet<string> = new Set(['inventory', 'catalogue'])

const maxNodes = 50_000

/** Longer pauses would let the node seem stale. */
const maxPauseMs = 10_000

/** Limits what each node may cost. A budget outlives its session, so that a reconnect does not renew it. */
export class NodeBudgets {
  readonly #budgets = new LRUCache<string, Budget>({ max: maxNodes })
  readonly #options: BudgetOptions
  readonly #clock: Pick<Clock, 'monotonic'>

  constructor(options: BudgetOptions, clock: Pick<Clock, 'monotonic'>) {
    this.#options = options
    this.#clock = clock
  }

  /** Charges a handled message, and returns for how many milliseconds the session must not be read. */
  charge(session: Payer, bytes: number, cpuMs: number): number {
    const budget = this.#of(session)
    const now = this.#clock.monotonic()
    return Math.max(budget.bytes.spend(bytes, now, maxPauseMs), budget.cpuMs.spend(cpuMs, now, maxPauseMs))
  }

  /** Returns false if the message is of a kind that costs much, and the node has sent too many of those. */
  accept(session: Payer, type: string): boolean {
    return !heavyKinds.has(type) || this.#of(session).heavy.accept(this.#clock.monotonic())
  }

  #of({ agent: { nodeId }, parked }: Payer): Budget {
    const key = parked === null ? String(nodeId) : `${nodeId} parked`
    const known = this.#budgets.get(key)
    if (known) return known
    const { bytesPerSecond, byteBurst, cpuMsPerSecond, cpuMsBurst, heavyMessagesPerSecond, heavyMessageBurst } =
      this.#options
    const now = this.#clock.monotonic()
    const budget = {
      bytes: new TokenBucket(bytesPerSecond, byteBurst, now),
      cpuMs: new TokenBucket(cpuMsPerSecond, cpuMsBurst, now),
      heavy: new TokenBucket(heavyMessagesPerSecond, heavyMessageBurst, now),
    }
    this.#budgets.set(key, budget)
    return budget
  }
}
