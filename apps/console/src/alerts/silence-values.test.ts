import { describe, expect, it } from 'vitest'
import { checkSilence, isEverything, silenceInput } from './silence-values.js'

const now = Date.parse('2026-11-22T10:00:00Z')
const empty = { code: '', node: '', subject: '', isOnlyHere: false, for: '3600', until_worse: false, comment: '' }

describe('the form of a silence', () => {
  it('names only what was filled in, and ends after the chosen time', () => {
    const values = { ...empty, code: 'DEVICE_UNMOUNTED', subject: ' d5 ', comment: ' disk swap ' }
    expect(silenceInput(values, { cluster: 1, node: undefined }, now)).toEqual({
      matchers: { cluster: null, node: null, code: 'DEVICE_UNMOUNTED', subject: 'd5' },
      until_worse: false,
      ends_at: '2026-11-22T11:00:00.000Z',
      comment: 'disk swap',
    })
  })

  it('is refused at its first field while it names nothing', () => {
    expect(checkSilence(empty, 1, now)).toEqual({
      code: ['Name at least one of cluster, node, device, code and subject.'],
    })
    expect(checkSilence({ ...empty, node: 'store-7' }, 1, now)).toEqual({})
  })

  it('warns where every alert of a cluster would be silent', () => {
    expect(isEverything({ ...empty, isOnlyHere: true })).toBe(true)
    expect(isEverything({ ...empty, isOnlyHere: true, node: 'store-7' })).toBe(false)
    expect(isEverything(empty)).toBe(false)
  })
})
