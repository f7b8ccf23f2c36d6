import { describe, expect, it } from 'vitest'
import { TransferSums } from './transfer-sums.js'

const from = 1_795_170_600
const line = (account: string, time = from) => ({ time, request: { account, bytesIn: 1, bytesOut: 2 } })

describe('the sums of a half-hour', () => {
  it('are whole where pieces of it make the whole', () => {
    const sums = new TransferSums(from)
    for (let i = 0; i < 1_800; i++) sums.cover(from + i + 0.1 * (i % 3), from + i + 1 + 0.1 * ((i + 1) % 3))
    expect(sums.takeChanged().find((half) => half.from === from)?.share).toBe(1)
  })

  it('are saved and read again as they were', () => {
    const sums = new TransferSums(from)
    sums.cover(from, from + 900)
    for (const account of ['AUTH_b', 'AUTH_a', 'AUTH_b']) sums.add(line(account))
    const again = new TransferSums(from, structuredClone(sums.save()))
    const told = again.takeChanged()
    expect(told).toEqual(sums.takeChanged())
    expect(told).toEqual([
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

  it('say that they are incomplete when more accounts come than can be kept', () => {
    const sums = new TransferSums(from)
    sums.cover(from, from + 1_800)
    for (let i = 0; i < 250_000; i++) sums.add(line(`AUTH_${i}`))
    const [told] = sums.takeChanged()
    expect(told?.transfer).toHaveLength(200_000)
    expect(told?.share).toBeCloseTo(0.8, 6)
  })

  it('are forgotten once they were told', () => {
    const sums = new TransferSums(from)
    sums.add(line('AUTH_a'))
    sums.forgetBefore(from + 10_000)
    expect(sums.save()).toHaveLength(1)
    sums.takeChanged()
    sums.forgetBefore(from + 1_799)
    expect(sums.save()).toHaveLength(1)
    sums.forgetBefore(from + 1_800)
    expect(sums.save()).toEqual([])
  })
})
