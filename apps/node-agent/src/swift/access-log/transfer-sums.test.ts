import { describe, expect, it } from 'vitest'
import { TransferSums } from './transfer-sums.js'

const from = 1_795_170_600
const line = (account: string, time = from) => ({ time, request: { account, bytesIn: 1, bytesOut: 2 } })

describe('the sums of a half-hour', () => {
  it('are complete when the parts add up', () => {
    const sums = new TransferSums(from)
    for (let i = 0; i < 1_800; i++) sums.cover(from + i + 0.1 * (i % 3), from + i + 1 + 0.1 * ((i + 1) % 3))
    expect(sums.collectChanged().find((half) => half.from === from)?.share).toBe(1)
  })

  it('are saved and read again as they were', () => {
    const sums = new TransferSums(from)
    sums.cover(from, from + 900)
    for (const account of ['AUTH_b', 'AUTH_a', 'AUTH_b']) sums.add(line(account))
    const again = new TransferSums(from, structuredClone(sums.save()))
    const reported = again.collectChanged()
    expect(reported).toEqual(sums.collectChanged())
    expect(reported).toEqual([
      {
        from,
        share: 0.5,
        transfer: [
          { account: 'AUTH_b', bytes_in: 2, bytes_out: 4, req_count: 2 },
          { account: 'AUTH_a', bytes_in: 1, bytes_out: 2, req_count: 1 },
        ],
      },
    ])
  })

  it('are incomplete with more accounts than the limit', () => {
    const sums = new TransferSums(from)
    sums.cover(from, from + 1_800)
    for (let i = 0; i < 250_000; i++) sums.add(line(`AUTH_${i}`))
    const [reported] = sums.collectChanged()
    expect(reported?.transfer).toHaveLength(200_000)
    expect(reported?.share).toBeCloseTo(0.8, 6)
  })

  it('are removed after the report', () => {
    const sums = new TransferSums(from)
    sums.add(line('AUTH_a'))
    sums.forgetBefore(from + 10_000)
    expect(sums.save()).toHaveLength(1)
    sums.collectChanged()
    sums.forgetBefore(from + 1_799)
    expect(sums.save()).toHaveLength(1)
    sums.forgetBefore(from + 1_800)
    expect(sums.save()).toEqual([])
  })
})
