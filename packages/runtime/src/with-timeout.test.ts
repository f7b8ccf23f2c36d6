import { describe, expect, it } from 'vitest'
import { inTime } from './with-timeout.js'

const never = new Promise<string>(() => {})

describe('inTime', () => {
  it('answers what comes in time, failures too', async () => {
    expect(await inTime(Promise.resolve('here'), 60_000, () => 'late')).toBe('here')
    await expect(inTime(Promise.reject(new Error('broken')), 60_000, () => 'late')).rejects.toThrow('broken')
  })

  it('answers the substitute, or fails as it does, for what does not come', async () => {
    expect(await inTime(never, 1, () => 'late')).toBe('late')
    const refuse = () => {
      throw new Error('too late')
    }
    await expect(inTime(never, 1, refuse)).rejects.toThrow('too late')
  })
})
