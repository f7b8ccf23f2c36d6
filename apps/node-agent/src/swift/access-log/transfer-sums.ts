import { halfHourSeconds, type TransferUsage } from '@roost/api-types/agent'
import type { AccessLine } from './access-line.js'

/** The transfer of a half-hour so far. */
export interface HalfHourTransfer {
  /** The start in Unix seconds. */
  readonly from: number
  /** The seconds whose log was read. */
  readonly covered: number
  /** All requests, and those without a known account or beyond the limit of accounts. */
  readonly requests: number
  readonly unplaced: number
  /** Bytes in, bytes out and requests by account, in the order of their first requests. */
  readonly accounts: readonly (readonly [account: string, bytesIn: number, bytesOut: number, requests: number])[]
}

interface Sums {
  covered: number
  requests: number
  /** Requests whose account the line does not have, and of accounts beyond the limit. */
  unplaced: number
  readonly accounts: Map<string, Amounts>
  isReported: boolean
}

type Amounts = { bytesIn: number; bytesOut: number; requests: number }

/** A half-hour for the control plane. */
export interface ReportedHalfHour {
  readonly from: number
  readonly transfer: readonly TransferUsage[]
  /** The part of its log that was read, 0 to 1. */
  readonly share: number
}

/** The limit of accounts in one half-hour: 30 MB. More accounts make the half-hour incomplete. */
const mostAccounts = 200_000

/** Adds up a proxy's log by half-hour, and the part of each half-hour's log that was read. */
export class TransferSums {
  readonly #halfHours = new Map<number, Sums>()
  /** Requests that ended earlier are not counted. */
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
    sums.isReported = false
    if (request.account === null) return void sums.unplaced++
    const known = sums.accounts.get(request.account)
    if (known === undefined && sums.accounts.size >= mostAccounts) return void sums.unplaced++
    const amounts = known ?? { bytesIn: 0, bytesOut: 0, requests: 0 }
    amounts.bytesIn += request.bytesIn
    amounts.bytesOut += request.bytesOut
    amounts.requests += 1
    sums.accounts.set(request.account, amounts)
  }

  /** Records that the log between these times was read. */
  cover(from: number, to: number): void {
    for (let at = Math.max(from, this.#since); at < to;) {
      const end = Math.min(to, startOf(at) + halfHourSeconds)
      const sums = this.#at(at)
      sums.covered += end - at
      sums.isReported = false
      at = end
    }
  }

  /** Returns the half-hours that changed since the last call, the oldest first. */
  collectChanged(): readonly ReportedHalfHour[] {
    const changed = [...this.#halfHours].filter(([, { isReported }]) => !isReported).toSorted(([a], [b]) => a - b)
    return changed.map(([from, sums]) => {
      sums.isReported = true
      return { from, transfer: Array.from(sums.accounts, usageOf), share: shareOf(sums) }
    })
  }

  /** Removes half-hours that were reported and ended before this time. */
  forgetBefore(time: number): void {
    for (const [from, { isReported }] of this.#halfHours)
      if (isReported && from + halfHourSeconds <= time) this.#halfHours.delete(from)
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
  return { covered: 0, requests: 0, unplaced: 0, accounts: new Map(), isReported: false }
}

function startOf(time: number): number {
  return time - (time % halfHourSeconds)
}

function usageOf([account, { bytesIn, bytesOut, requests }]: readonly [string, Amounts]): TransferUsage {
  return { account, bytes_in: bytesIn, bytes_out: bytesOut, req_count: requests }
}

/** Rounds to the millisecond, so that the parts of a half-hour add up to 1. */
function shareOf({ covered, requests, unplaced }: Sums): number {
  const read = Math.min(1, Math.round(covered * 1_000) / (halfHourSeconds * 1_000))
  return unplaced === 0 ? read : read * (1 - unplaced / requests)
}
