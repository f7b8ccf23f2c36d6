import { RoostError } from '@roost/api-types/rest'

const dayMs = 86_400_000

/** Limits the accounts that one node can make known in a day, so that it cannot fill the database with invented names. */
export class NewAccounts {
  readonly #perDay: number
  readonly #counts = new Map<number, number>()
  #day = 0

  constructor(perDay: number) {
    this.#perDay = perDay
  }

  /** Throws `too_many` if the node would exceed its number. */
  check(nodeId: number, accounts: number, nowMs: number): void {
    const day = Math.floor(nowMs / dayMs)
    if (day !== this.#day) this.#counts.clear()
    this.#day = day
    if (accounts === 0 || (this.#counts.get(nodeId) ?? 0) + accounts <= this.#perDay) return
    const limit = `A node can report at most ${this.#perDay} new accounts a day.`
    throw new RoostError('too_many', `${limit} This message is accepted tomorrow.`)
  }

  /** Counts accounts of a message that is stored. */
  add(nodeId: number, accounts: number): void {
    if (accounts > 0) this.#counts.set(nodeId, (this.#counts.get(nodeId) ?? 0) + accounts)
  }
}
