import { describe, expect, it } from 'vitest'
import { deploymentFailed, gatewayDrift } from './deployments.js'

const node = 'gw-1'

describe('checks of deployments', () => {
  it.each(['synced', 'pending', 'unknown', 'drifted'])('judge the configuration %s', (configState) => {
    expect(gatewayDrift.find({ node, configState }).map(({ code, subject }) => `${code} ${subject}`)).toEqual(
      configState === 'drifted' ? [`gateway_drift ${node}`] : [],
    )
  })

  it.each([null, 'applied', 'failed', 'rolled_back', 'partly'])('judge the outcome %s', (outcome) => {
    const [found] = deploymentFailed.find({ node, what: 'shares', outcome, message: 'testparm found an error.' })
    const isFailed = outcome !== null && outcome !== 'applied'
    expect(found?.message).toBe(
      isFailed
        ? `The last deployment of shares to ${node} has failed: testparm found an error. Mend the cause, and deploy again.`
        : undefined,
    )
  })
})
