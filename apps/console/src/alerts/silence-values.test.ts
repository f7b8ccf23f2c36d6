import { describe, expect, it } from 'vitest'
import { inputOf } from '../format/time.js'
import { checkEnd, checkSilence, endValues, isEverything, silenceChange, silenceInput } from './silence-values.js'

const now = Date.parse('2026-11-22T10:00:00Z')
const empty = {
  code: '',
  node: '',
  device: '',
  subject: '',
  isOnlyHere: false,
  begins: '',
  for: '3600',
  until_worse: false,
  comment: '',
}

describe('the form of a silence', () => {
  it('names only what was filled in, and ends after the chosen time', () => {
    const values = { ...empty, code: 'DEVICE_UNMOUNTED', subject: ' d5 ', comment: ' disk swap ' }
    expect(silenceInput(values, { cluster: 1, node: undefined }, now)).toEqual({
      matchers: { cluster: null, node: null, device: null, code: 'DEVICE_UNMOUNTED', subject: 'd5' },
      until_worse: false,
      ends_at: '2026-11-22T11:00:00.000Z',
      comment: 'disk swap',
    })
  })

  it('names a device by its id, and ends after the chosen time from its own beginning', () => {
    const begins = inputOf('2026-11-23T22:00:00.000Z', 'local')
    expect(silenceInput({ ...empty, device: '31', begins }, { cluster: 1, node: 7 }, now)).toMatchObject({
      matchers: { node: 7, device: 31 },
      starts_at: '2026-11-23T22:00:00.000Z',
      ends_at: '2026-11-23T23:00:00.000Z',
    })
  })

  it('is refused at its first field while it names nothing', () => {
    expect(checkSilence(empty, 1, now)).toEqual({
      code: ['Name at least one of cluster, node, device, code and subject.'],
    })
    expect(checkSilence({ ...empty, node: 'store-7' }, 1, now)).toEqual({})
  })

  it('is refused at a beginning that is no time, as while one types its year', () => {
    const begins = '20261-01-01T00:00'
    const sentence = 'Enter a date and a time. The year has four digits.'
    expect(checkSilence({ ...empty, node: 'store-7', begins }, 1, now)).toEqual({ begins: [sentence] })
    expect(checkSilence({ ...empty, node: 'store-7', begins: '9999-01-01T00:00' }, 1, now)).toEqual({})
  })

  it('warns where every alert of a cluster would be silent', () => {
    expect(isEverything({ ...empty, isOnlyHere: true })).toBe(true)
    expect(isEverything({ ...empty, isOnlyHere: true, node: 'store-7' })).toBe(false)
    expect(isEverything({ ...empty, isOnlyHere: true, device: '31' })).toBe(false)
    expect(isEverything(empty)).toBe(false)
  })
})

describe('the change of a silence', () => {
  const silence = {
    id: 3,
    resource_uri: '/api/v1/alert_silences/3/',
    matchers: { cluster: null, node: null, device: null, code: 'DEVICE_UNMOUNTED', subject: null },
    until_worse: false,
    starts_at: '2026-11-22T10:00:00.000Z',
    ends_at: '2026-11-22T11:00:42.123Z',
    comment: 'disk swap',
    operator: 'alice',
  }
  const values = endValues(silence)

  it('leaves an end alone that was not changed, to the second', () => {
    expect(silenceChange(silence, { ...values, comment: ' second attempt ' })).toEqual({
      until_worse: false,
      comment: 'second attempt',
    })
    const ends_at = inputOf('2026-11-23T06:30:00.000Z', 'local')
    expect(silenceChange(silence, { ...values, ends_at })).toMatchObject({ ends_at: '2026-11-23T06:30:00.000Z' })
  })

  it('needs an end', () => {
    expect(checkEnd(silence, values)).toEqual({})
    for (const ends_at of ['', '20261-01-01T00:00'])
      expect(checkEnd(silence, { ...values, ends_at })).toEqual({
        ends_at: ['Enter a date and a time. The year has four digits.'],
      })
  })
})
