import { RoostError } from '@roost/api-types/rest'
import { expect, it } from 'vitest'
import { createOutages } from './outages.js'

const minuteMs = 60_000
const hourMs = 60 * minuteMs

it('outages of the database count from the first query that failed to the first that was answered, for an hour', async () => {
  let nowMs = 0
  const outages = createOutages(() => nowMs)
  const answered = () => outages.watch(async () => {})
  const failed = (error: Error) =>
    outages.watch(async () => {
      throw error
    })
  const unavailable = new RoostError('unavailable', 'The database does not answer.')
  await answered()
  nowMs = minuteMs
  await expect(failed(unavailable)).rejects.toBe(unavailable)
  nowMs = 3 * minuteMs
  await expect(failed(unavailable)).rejects.toBe(unavailable)
  expect(outages.within(hourMs)).toBe(2 * minuteMs)
  nowMs = 5 * minuteMs
  await answered()
  nowMs = 30 * minuteMs
  // Another fault says nothing of the database.
  await expect(failed(new Error('a defect'))).rejects.toThrow('a defect')
  nowMs = 31 * minuteMs
  await answered()
  expect(outages.within(hourMs)).toBe(4 * minuteMs)
  nowMs = 63 * minuteMs
  expect(outages.within(hourMs)).toBe(2 * minuteMs)
  nowMs = 66 * minuteMs
  await answered()
  expect(outages.within(hourMs)).toBe(0)
})
