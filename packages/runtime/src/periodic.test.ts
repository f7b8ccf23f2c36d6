import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { systemClock } from './clock.js'
import { Periodic, type PeriodicOptions } from './periodic.js'

let rounds: number
let intervalMs: number
let errors: unknown[]
let periodic: Periodic | undefined

beforeEach(() => {
  vi.useFakeTimers()
  rounds = 0
  intervalMs = 1000
  errors = []
})

afterEach(async () => {
  const stopped = periodic?.stop()
  await vi.advanceTimersByTimeAsync(1000)
  await stopped
  vi.useRealTimers()
})

function start(work: () => Promise<void> = async () => {}, more: Partial<PeriodicOptions> = {}): Periodic {
  periodic = new Periodic({
    clock: systemClock,
    intervalMs: () => intervalMs,
    work: () => {
      rounds += 1
      return work()
    },
    onError: (error) => errors.push(error),
    ...more,
  })
  return periodic
}

it('works at once and then on its interval', async () => {
  start()
  await vi.advanceTimersByTimeAsync(0)
  expect(rounds).toBe(1)
  await vi.advanceTimersByTimeAsync(3000)
  expect(rounds).toBe(4)
})

it('counts the interval from the start of a run, and never works twice at a time', async () => {
  start(() => new Promise((resolve) => setTimeout(resolve, 400)))
  await vi.advanceTimersByTimeAsync(2500)
  expect(rounds).toBe(3)
  intervalMs = 100
  await vi.advanceTimersByTimeAsync(2000)
  expect(rounds).toBe(7)
})

it('continues after a run that failed', async () => {
  start(() => Promise.reject(new Error('no')))
  await vi.advanceTimersByTimeAsync(2000)
  expect(rounds).toBe(3)
  expect(errors).toHaveLength(3)
})

it('serves requests within a delay by one run, which further requests do not postpone', async () => {
  const requests = start()
  await vi.advanceTimersByTimeAsync(0)
  intervalMs = 1_000_000
  for (let at = 0; at < 1000; at += 100) {
    requests.kick(300)
    await vi.advanceTimersByTimeAsync(100)
  }
  expect(rounds).toBe(4)
})

it('applies a shorter interval at once', async () => {
  intervalMs = 3_600_000
  const paced = start()
  await vi.advanceTimersByTimeAsync(5000)
  intervalMs = 10_000
  paced.rearm()
  await vi.advanceTimersByTimeAsync(5000)
  expect(rounds).toBe(2)
})

it('does nothing once it is stopped', async () => {
  const ended = start()
  await vi.advanceTimersByTimeAsync(0)
  await ended.stop()
  ended.kick()
  await vi.advanceTimersByTimeAsync(5000)
  expect(rounds).toBe(1)
})

it('counts the interval from the end of a run, and delays the first one, when asked to', async () => {
  const slow = () => new Promise<void>((resolve) => setTimeout(resolve, 400))
  start(slow, { countFrom: 'end', firstDelayMs: 300 })
  await vi.advanceTimersByTimeAsync(299)
  expect(rounds).toBe(0)
  await vi.advanceTimersByTimeAsync(1)
  expect(rounds).toBe(1)
  await vi.advanceTimersByTimeAsync(1399)
  expect(rounds).toBe(1)
  await vi.advanceTimersByTimeAsync(1)
  expect(rounds).toBe(2)
})
