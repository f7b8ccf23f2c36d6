import { describe, expect, it } from 'vitest'
import { checkLimit, limitInput, limitValues } from './limit-values.js'
import { checkRule, ruleInput, ruleValues } from './rule-values.js'

const record = { id: 2, resource_uri: '/api/v1/alert_rules/2/', comment: '', enabled: true }

describe('the form of a rule', () => {
  const values = { ...ruleValues(undefined), code: 'DEVICE_FULL' }

  it('sends null for what the check says', () => {
    expect(ruleInput({ ...values, severity: 'critical' })).toMatchObject({ severity: 'critical', for_seconds: null })
    expect(ruleInput({ ...values, for_seconds: '90', cluster: '3' })).toMatchObject({ for_seconds: 90, cluster: 3 })
  })

  it('refuses a rule that changes nothing, at its first field', () => {
    expect(Object.keys(checkRule(values))).toEqual(['severity'])
    expect(checkRule({ ...values, enabled: false })).toEqual({})
    expect(Object.keys(checkRule({ ...values, for_seconds: '-1' }))).toEqual(['for_seconds'])
  })

  it('shows a rule as it is', () => {
    const rule = { ...record, code: 'DEVICE_FULL', cluster: '/api/v1/clusters/3/', severity: null, for_seconds: 90 }
    expect(ruleValues(rule)).toMatchObject({ cluster: '3', severity: '', for_seconds: '90' })
  })
})

describe('the form of a limit', () => {
  const values = { ...limitValues(undefined), name: 'load', metric: 'load.*' }

  it('needs a number, and sends none for a limit that ends where it begins', () => {
    expect(Object.keys(checkLimit(values))).toEqual(['threshold'])
    expect(limitInput({ ...values, threshold: '-0.5' })).toMatchObject({ threshold: -0.5, end_threshold: null })
    expect(checkLimit({ ...values, threshold: '1', end_threshold: '0' })).toEqual({})
  })
})
