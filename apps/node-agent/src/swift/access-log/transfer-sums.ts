import { halfHourSeconds, type TransferUsage } from '@roost/api-types/agent'
import type { AccessLine } from './access-line.js'

/** What was moved in a half-hour so far. */
export interface HalfHourTransfer {
  /** Its beginning in Unix seconds. */
  readonly from: number
  /** Seconds of it whose log was read. */
  readonly covered: number
  /** Those that counted, and those among them of accounts that found no room. */
  readonly requests: number
  readonly unplaced: number
  /** Bytes in, bytes out and requests by account, in the order in which the accounts came. */
  readonly accounts: readonly (readonly [account: string, bytesIn: number, bytesOut: number, requests: number])[]
}

interface Sums {
  covered: number
  requests: number
  /** Requests of accounts beyond those that can be kept. */
  unplaced: number
  readonly accounts: Map<string, Amounts>
  isTold: boolean
}

type Amounts = { bytesIn: number; bytesOut: number; requests: number }

/** A half-hour as it is reported. */
export interface ToldHalfHour {
  readonly from: number
  readonly transfer: readonly TransferUsage[]
  /** Of its log that was read, 0 to 1. */
  readonly share: number
}

/** Accounts of one half-hour: 30 MB. What is beyond them makes the half-hour incomplete. */
const mostAccounts = 200_000

/** The sums of a proxy's log by half-hour, and how much of each half-hour's log they are made of. */
export class TransferSums {
  readonly #halfHours = new Map<number, Sums>()
  /** Lines that ended before do not count. */
  readonly #since: number

  constructor(since: number, saved: readonly HalfHourTransfer[] = []) {
    this.#since = since
    for (const { from, covered, requests, unplaced, accounts } of saved) {
      const sums = { ...emptySums(), covered, requests, unplaced }
      for (const [name, bytesIn, bytesOut, count] of accounts)
        sums.accounts.set(name, { bytesIn, bytesOut, requests: count })
      this.#halfHours.set(from, sums)
    }
  }

  add({ time, request }: AccessLine): void {
    if (request === null || time < this.#since) return
    const sums = this.#at(time)
    sums.requests++
    sums.isTold = false
    const known = sums.accounts.get(request.account)
    if (known === undefined && sums.accounts.size >= mostAccounts) return void sums.unplaced++
    const amounts = known ?? { bytesIn: 0, bytesOut: 0, requests: 0 }
    amounts.bytesIn += request.bytesIn
    amounts.bytesOut += request.bytesOut
    amounts.requests += 1
    sums.accounts.set(request.account, amounts)
  }

  /** The log between these times was read. */
  cover(from: number, to: number): void {
    for (let at = Math.max(from, this.#since); at < to;) {
      const end = Math.min(to, startOf(at) + halfHourSeconds)
      const sums = this.#at(at)
      sums.covered += end - at
      sums.isTold = false
      at = end
    }
  }

  /** Those that have changed since they were taken last, the oldest first. */
  takeChanged(): readonly ToldHalfHour[] {
    const changed = [...this.#halfHours].filter(([, { isTold }]) => !isTold).toSorted(([a], [b]) => a - b)
    return changed.map(([from, sums]) => {
      sums.isTold = true
      return { from, transfer: Array.from(sums.accounts, usageOf), share: shareOf(sums) }
    })
  }

  /** Forgets half-hours that were told and ended before. */
  forgetBefore(time: number): void {
    for (const [from, { isTold }] of this.#halfHours)
      if (isTold && from + halfHourSeconds <= time) this.#halfHours.delete(from)
  }

  save(): readonly HalfHourTransfer[] {
    return Array.from(this.#halfHours, ([from, { covered, requests, unplaced, accounts }]) => ({
      from,
      covered,
      requests,
      unplaced,
      accounts: Array.from(accounts, ([name, { bytesIn, bytesOut, requests }]) => [name, bytesIn, bytesOut, requests]),
    }))
  }

  #at(time: number): Sums {
    const from = startOf(time)
    const sums = this.#halfHours.get(from) ?? emptySums()
    this.#halfHours.set(from, sums)
    return sums
  }
}

function emptySums(): Sums {
  return { covered: 0, requests: 0, unplaced: 0, accounts: new Map(), isTold: false }
}

function startOf(time: number): number {
  return time - (time % halfHourSeconds)
}

function usageOf([account, { bytesIn, bytesOut, requests }]: readonly [string, Amounts]): TransferUsage {
  return { account, bytes_in: bytesIn, bytes_out: bytesOut, req_count: requests }
}

/** To the millisecond: pieces of a half-hour add up to the whole. */
function shareOf({ covered, requests, unplaced }: Sums): number {
  const read = Math.min(1, Math.round(covered * 1_000) / (halfHourSeconds * 1_000))
  return unplaced === 0 ? read : read * (1 - unplaced / requests)
}
