import { describe, expect, it } from 'vitest'
import { withTimeout } from './with-timeout.js'

const never = new Promise<string>(() => {})

describe('withTimeout', () => {
  it('returns a result that comes in time, failures too', async () => {
    expect(await withTimeout(Promise.resolve('here'), 60_000, () => 'late')).toBe('here')
    await expect(withTimeout(Promise.reject(new Error('broken')), 60_000, () => 'late')).rejects.toThrow('broken')
  })

  it('returns the substitute, or fails as it does, when there is no result in time', async () => {
    expect(await withTimeout(never, 1, () => 'late')).toBe('late')
    const refuse = () => {
      throw new Error('too late')
    }
    await expect(withTimeout(never, 1, refuse)).rejects.toThrow('too late')
  })
})
