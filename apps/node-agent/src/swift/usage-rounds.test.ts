import { UsageMessage } from '@roost/api-types/agent'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Log } from '@roost/runtime'
import { TestClock } from '@roost/testing'
import type { AccountSample, AccountUsage } from './accounts/account-usage.js'
import { startUsageRounds, type UsageRounds, type UsageRoundsOptions } from './usage-rounds.js'

const start = Date.UTC(2026, 10, 20, 10)
const minute = 60_000

let clock: TestClock
let kept: Map<string, UsageMessage>
let told: string[]
let rounds: UsageRounds | undefined
beforeEach(() => {
  clock = new TestClock(start)
  kept = new Map()
  told = []
})
afterEach(() => rounds?.stop())

const log: Log = {
  debug: () => {},
  info: () => {},
  warn: (message) => told.push(message),
  error: (message) => told.push(message),
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

/** Of each half-hour, by its minutes after the start, which ten minutes were sampled. */
function slots(): Readonly<Record<number, number>> {
  const found: Record<number, number> = {}
  for (const { half_hour, storage } of kept.values()) {
    const at = (half_hour * 1_000 - start) / minute
    for (const one of storage) found[at] = (found[at] ?? 0) | one.slots
  }
  return found
}

describe('samples of accounts', () => {
  it('are one in each ten minutes of every half-hour, wherever the agent begins', async () => {
    for (const random of [0, 0.3, 0.999]) {
      run({ random: () => random })
      await clock.pass(120 * minute)
      await rounds?.stop()
    }
    const { 0: _first, 360: _end, ...whole } = slots()
    expect(Object.keys(whole)).toHaveLength(11)
    expect(new Set(Object.values(whole))).toEqual(new Set([7]))
  })

  it('do not drift out of their slots over a week', async () => {
    run({ random: () => 0 })
    await clock.pass(7 * 24 * 60 * minute)
    expect(Object.values(slots()).filter((bits) => bits !== 7)).toHaveLength(0)
  })

  it('tell what an account holds in each policy', async () => {
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

  it('of more accounts than a message holds go in several', async () => {
    const rows = Array.from({ length: 12_001 }, (_, i) => ({ ...row, account: `AUTH_${i}` }))
    run({ accounts: accountsOf(async () => sampleOf({ rows })) })
    await clock.pass(minute)
    expect([...kept.values()].map(({ storage }) => storage.length)).toEqual([5_000, 5_000, 2_001])
  })

  it('of a node without accounts are none', async () => {
    run({ accounts: accountsOf(async () => null) })
    await clock.pass(60 * minute)
    expect(kept.size).toBe(0)
  })

  it('go on after one that failed, and say once why', async () => {
    let count = 0
    const sample = async () => {
      count++
      if (count === 1) throw new Error('no')
      return sampleOf({ faults: ['d1/x.db: it is no SQLite database.'] })
    }
    run({ accounts: accountsOf(sample) })
    await clock.pass(60 * minute)
    expect(kept.size).toBeGreaterThan(4)
    expect(told).toEqual(['The accounts could not be sampled.', 'd1/x.db: it is no SQLite database.'])
  })

  it('are given up while so much waits for the control plane, and told so', async () => {
    run({ waitingBytes: () => 300 << 20 })
    await clock.pass(60 * minute)
    expect([kept.size, told.length]).toEqual([0, 1])
  })
})

describe('what a proxy moved', () => {
  const moved = { account: 'AUTH_a', bytes_in: 1, bytes_out: 2, req_count: 3 }

  function proxy(changed: () => readonly { from: number; transfer: (typeof moved)[]; share: number }[]) {
    let reads = 0
    const transfer = {
      read: async () => {
        reads++
        if (reads === 2) throw new Error('There is no proxy.log.')
      },
      takeChanged: changed,
      close: async () => {},
    }
    run({ transfer, accounts: accountsOf(async () => null) })
    return { reads: () => reads }
  }

  it('is read every ten seconds, and reported as often as the configuration says', async () => {
    let asked = 0
    const { reads } = proxy(() => (asked++, []))
    await clock.pass(20 * minute)
    expect([reads(), asked]).toEqual([121, 5])
    expect(told).toEqual(["The proxy's access log cannot be read: There is no proxy.log."])
  })

  it('is told by half-hour, also where nothing was moved, and replaces what was told of it before', async () => {
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
