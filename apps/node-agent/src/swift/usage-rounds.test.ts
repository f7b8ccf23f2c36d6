import { UsageMessage } from '@roost/api-types/agent'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Log, Stoppable } from '@roost/runtime'
import { TestClock } from '@roost/testing'
import type { AccountSample, AccountUsage } from './accounts/account-usage.js'
import { startUsageRounds, type UsageRoundsOptions } from './usage-rounds.js'

const start = Date.UTC(2026, 10, 20, 10)
const minute = 60_000

let clock: TestClock
let kept: Map<string, UsageMessage>
let logged: string[]
let rounds: Stoppable | undefined
beforeEach(() => {
  clock = new TestClock(start)
  kept = new Map()
  logged = []
})
afterEach(() => rounds?.stop())

const log: Log = {
  debug: () => {},
  info: () => {},
  warn: (message) => logged.push(message),
  error: (message) => logged.push(message),
}
const row = { account: 'AUTH_a', policy: 0, containers: 1, objects: 2, bytes: 3 }
const sampleOf = (more: Partial<AccountSample> = {}): AccountSample => ({
  rows: [row],
  databases: 1,
  faults: [],
  ...more,
})

const accountsOf = (sample: AccountUsage['sample']): AccountUsage => ({ sample, close: () => {} })

function run(more: Partial<UsageRoundsOptions>): void {
  rounds = startUsageRounds({
    accounts: accountsOf(async () => sampleOf()),
    transfer: null,
    storageIntervalMs: 10 * minute,
    transferIntervalMs: 5 * minute,
    keep: async (kind, build) => void kept.set(kind, UsageMessage.parse(build(kept.size))),
    waitingBytes: () => 0,
    clock,
    random: () => 0.5,
    log,
    ...more,
  })
}

/** Returns the sampled ten minutes of each half-hour, by its minutes after the start. */
function slots(): Readonly<Record<number, number>> {
  const found: Record<number, number> = {}
  for (const { half_hour, storage } of kept.values()) {
    const at = (half_hour * 1_000 - start) / minute
    for (const one of storage) found[at] = (found[at] ?? 0) | one.slots
  }
  return found
}

describe('samples of accounts', () => {
  it('are one in each ten minutes of every half-hour, at any start of the agent', async () => {
    for (const random of [0, 0.3, 0.999]) {
      run({ random: () => random })
      await clock.pass(120 * minute)
      await rounds?.stop()
    }
    const { 0: _first, 360: _end, ...complete } = slots()
    expect(Object.keys(complete)).toHaveLength(11)
    expect(new Set(Object.values(complete))).toEqual(new Set([7]))
  })

  it('do not drift out of their slots over a week', async () => {
    run({ random: () => 0 })
    await clock.pass(7 * 24 * 60 * minute)
    expect(Object.values(slots()).filter((bits) => bits !== 7)).toHaveLength(0)
  })

  it('have the usage of an account in each policy', async () => {
    run({})
    await clock.pass(minute)
    expect([...kept.values()]).toEqual([
      {
        type: 'usage',
        sequence: 0,
        half_hour: start / 1_000,
        storage: [{ account: 'AUTH_a', policy: 0, bytes_used: 3, container_count: 1, object_count: 2, slots: 1 }],
        transfer: [],
        log_read: null,
      },
    ])
  })

  it('of many accounts are sent in several messages', async () => {
    const rows = Array.from({ length: 12_001 }, (_, i) => ({ ...row, account: `AUTH_${i}` }))
    run({ accounts: accountsOf(async () => sampleOf({ rows })) })
    await clock.pass(minute)
    expect([...kept.values()].map(({ storage }) => storage.length)).toEqual([5_000, 5_000, 2_001])
  })

  it('are not sent by a node without accounts', async () => {
    run({ accounts: accountsOf(async () => null) })
    await clock.pass(60 * minute)
    expect(kept.size).toBe(0)
  })

  it('continue after one that failed, with one log line', async () => {
    let count = 0
    const sample = async () => {
      count++
      if (count === 1) throw new Error('no')
      return sampleOf({ faults: ['d1/x.db: it is not a SQLite database.'] })
    }
    run({ accounts: accountsOf(sample) })
    await clock.pass(60 * minute)
    expect(kept.size).toBeGreaterThan(4)
    expect(logged).toEqual(['could not sample the accounts', 'd1/x.db: it is not a SQLite database.'])
  })

  it('stop while too much waits for the control plane, with a log line', async () => {
    run({ waitingBytes: () => 300 << 20 })
    await clock.pass(60 * minute)
    expect([kept.size, logged.length]).toEqual([0, 1])
  })
})

describe('the transfer of a proxy', () => {
  const moved = { account: 'AUTH_a', bytes_in: 1, bytes_out: 2, req_count: 3 }

  function proxy(changed: () => readonly { from: number; transfer: (typeof moved)[]; share: number }[]) {
    let reads = 0
    const transfer = {
      read: async () => {
        reads++
        if (reads === 2) throw new Error('proxy.log does not exist')
      },
      collectChanged: changed,
      close: async () => {},
    }
    run({ transfer, accounts: accountsOf(async () => null) })
    return { reads: () => reads }
  }

  it('is read every ten seconds, and reported at the configured interval', async () => {
    let asked = 0
    const { reads } = proxy(() => (asked++, []))
    await clock.pass(20 * minute)
    expect([reads(), asked]).toEqual([121, 5])
    expect(logged).toEqual(['could not read the access log of the proxy: proxy.log does not exist'])
  })

  it('is reported by half-hour, also without requests, and replaces the previous report', async () => {
    const from = start / 1_000
    let share = 0
    proxy(() => [
      { from, transfer: [moved], share: (share += 0.1) },
      { from: from + 1_800, transfer: [], share: 0.5 },
    ])
    await clock.pass(16 * minute)
    expect([...kept.values()].map(({ half_hour, transfer, log_read }) => [half_hour, transfer, log_read])).toEqual([
      [from, [moved], expect.closeTo(0.4)],
      [from + 1_800, [], 0.5],
    ])
  })
})
