import { describe, expect, it } from 'vitest'
import { Aggregation } from '@roost/api-types/agent'
import { aggregations } from './aggregations.js'

const cases = [
  { rule: 'sum', values: [1, 2, 6], result: 9 },
  { rule: 'sum', values: [5], result: 5 },
  { rule: 'mean', values: [1, 2, 6], result: 3 },
  { rule: 'mean', values: [5], result: 5 },
] as const

describe('aggregations', () => {
  it.each(cases)('$rule of $values is $result', ({ rule, values, result }) => {
    const { start, add, finish } = aggregations[rule]
    expect(finish(values.reduce(add, start), values.length)).toBe(result)
  })

  it('have a case here for each that a definition may name', () => {
    expect(new Set(cases.map(({ rule }) => rule))).toEqual(new Set(Aggregation.options))
  })
})
