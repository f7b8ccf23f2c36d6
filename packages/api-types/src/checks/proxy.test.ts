import { describe, expect, it } from 'vitest'
import { measureOf, proxyErrors } from './index.js'

describe('proxy_errors', () => {
  const facts = { minutes: 5, total: 200, isKnown: false }

  it('begins above 1 % of more than 100 answers, and answers both numbers', () => {
    expect(proxyErrors.find({ ...facts, errors: 2 })).toEqual([])
    expect(proxyErrors.find({ ...facts, total: 100, errors: 100 })).toEqual([])
    expect(proxyErrors.find({ ...facts, errors: 5 })).toMatchObject([
      { subject: 'proxy-server', value: 2.5, threshold: 1, message: expect.stringContaining('2.5 % of 200 requests') },
    ])
    expect(measureOf('proxy_errors')).toBeDefined()
  })

  it('ends at 0.9 %', () => {
    expect(proxyErrors.find({ ...facts, total: 1_000, errors: 9, isKnown: true })).toEqual([])
    expect(proxyErrors.find({ ...facts, total: 1_000, errors: 10, isKnown: true })).toHaveLength(1)
  })
})
