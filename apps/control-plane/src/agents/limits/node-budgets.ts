import type { Clock } from '@roost/runtime'
import { LRUCache } from 'lru-cache'
import { TokenBucket } from '../../services/token-bucket.js'
import { LoopShare } from './loop-share.js'

/** What the messages of one node may cost on average, and at once. Above it, its connection is read later. */
export interface BudgetLimits {
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

const maxNodes = 50_000

/** Longer pauses would let the node seem stale. */
const maxPauseMs = 10_000

/** More than an inventory and a catalogue cost together. */
const expensiveCpuMs = 60

/** What a connection costs, with what had been sent on it and was received for nothing. */
const violationCpuMs = 200

/** What the handler of an inventory or a catalogue costs while it asks the database. */
const handlerCpuMs = 20

/** Limits what each node may cost. A budget outlives its session, so that a reconnect does not renew it. */
export class NodeBudgets {
  readonly #budgets = new LRUCache<string, Budget>({ max: maxNodes })
  readonly #limits: BudgetLimits
  readonly #clock: Pick<Clock, 'monotonic'>
  readonly #loopShare: LoopShare

  constructor(limits: BudgetLimits, clock: Pick<Clock, 'monotonic'>) {
    this.#limits = limits
    this.#clock = clock
    this.#loopShare = new LoopShare(clock)
  }

  /**
   * Charges a handled message, and returns for how many milliseconds the session must not be read, for all that it has used.
   * `otherCpuMs` is CPU time of another thread.
   */
  charge(session: Payer, bytes: number, cpuMs: number, otherCpuMs = 0): number {
    const budget = this.#of(session)
    const now = this.#clock.monotonic()
    this.#loopShare.spend(cpuMs, this.#isExpensive(session))
    return Math.max(
      budget.bytes.spend(bytes, now, maxPauseMs),
      budget.cpuMs.spend(cpuMs + otherCpuMs, now, maxPauseMs),
      budget.heavy.spend(0, now, maxPauseMs),
    )
  }

  /** Milliseconds until a message of the session may be handled, so that requests of clients are handled between messages. */
  wait(session: Payer): number {
    return this.#loopShare.wait(this.#isExpensive(session))
  }

  /** Returns false if the node has sent too many inventories and catalogues: it sends a refused inventory again. */
  acceptInventory(session: Payer): boolean {
    return this.#of(session).heavy.accept(this.#clock.monotonic())
  }

  /** Charges a catalogue before `charge`. It is never refused, because an agent sends it once and all its values depend on it. */
  addCatalogue(session: Payer): void {
    this.#of(session).heavy.spend(1, this.#clock.monotonic(), maxPauseMs)
  }

  /** Charges in advance what an inventory or a catalogue costs after `charge`. */
  chargeHandler(session: Payer): void {
    this.#of(session).cpuMs.spend(handlerCpuMs, this.#clock.monotonic(), maxPauseMs)
  }

  /** Charges a session that broke the rules. A node whose sessions do so again and again is read every 10 s. */
  chargeViolation(session: Payer): void {
    this.#of(session).cpuMs.spend(violationCpuMs, this.#clock.monotonic(), maxPauseMs)
  }

  /** Returns true if messages of the node have cost more CPU time of late than those of others normally do. */
  #isExpensive(session: Payer): boolean {
    return this.#of(session).cpuMs.used(this.#clock.monotonic()) > expensiveCpuMs
  }

  #of({ agent: { nodeId }, parked }: Payer): Budget {
    const key = parked === null ? String(nodeId) : `${nodeId} parked`
    const known = this.#budgets.get(key)
    if (known) return known
    const { bytesPerSecond, byteBurst, cpuMsPerSecond, cpuMsBurst, heavyMessagesPerSecond, heavyMessageBurst } =
      this.#limits
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
