import { describe, expect, it } from 'vitest'
import { deviceFills, policyFills, policyUneven } from './capacity.js'

const node = 'store-1'

describe('checks of the space of devices and policies', () => {
  it.each([
    [{ middle: 7.1, late: 30 }, ['warning']],
    [{ middle: 7.1, late: 30.1 }, []],
    [{ middle: 7.1, late: null }, []],
    [{ middle: 7, late: null }, ['critical']],
    [{ middle: 7, late: 30.1 }, ['critical']],
    [{ middle: 0, late: 0, usedPercent: 59.9 }, []],
  ])('a forecast of %j is %j, of a device and of a policy', (forecast, severities) => {
    const facts = { usedPercent: 60, ...forecast }
    const device = deviceFills.find({ node, devices: 2, first: 'd5', ...facts })
    const policy = policyFills.find({ ringSet: 'gold,silver', ...facts })
    expect(device.map(({ severity }) => severity)).toEqual(severities)
    expect(policy.map(({ severity }) => severity)).toEqual(severities)
  })

  it('say when a device is full, as exactly as the forecast is', () => {
    const sentenceOf = (middle: number, late: number | null) =>
      policyFills.find({ ringSet: 'gold', middle, late, usedPercent: 80 })[0]?.message
    expect(sentenceOf(1.2, 1.4)).toMatch(/will be full in 1 day\. Order/)
    expect(sentenceOf(12.2, 28)).toContain('will be full in 12 days, at the latest in 28.')
    expect(sentenceOf(3, null)).toContain('will be full in 3 days.')
  })

  it.each([
    [{ average: 50, pct95: 60 }, 0],
    [{ average: 50, pct95: 60.04 }, 0],
    [{ average: 50, pct95: 60.06 }, 1],
  ])('policy_uneven of %j is found %j times', (fullness, times) => {
    expect(policyUneven.find({ ringSet: 'gold', ...fullness })).toHaveLength(times)
  })
})
