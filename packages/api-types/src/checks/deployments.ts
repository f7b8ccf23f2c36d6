import { check } from './check.js'

interface DriftFacts {
  readonly node: string
  readonly configState: string
}

export const gatewayDrift = check({
  code: 'gateway_drift',
  severity: 'warning',
  about: 'node',
  endangers: 'service',
  effect: 'Clients are served by a configuration that was not deployed, and that the next deployment replaces.',
  alert: { forSeconds: 600 },
  judge({ node, configState }: DriftFacts) {
    if (configState !== 'drifted') return undefined
    return {
      subject: node,
      sentence: `The configuration of ${node} is not what was deployed: it was changed on the node.`,
      remedy: `Look at the differences with \`roost drift show ${node}\`, then adopt them or apply the deployment again.`,
    }
  },
})

interface DeploymentFacts {
  readonly node: string
  /** What is deployed, such as `shares`. */
  readonly what: string
  /** `failed`, `rolled_back` or `partly` where the node does not have what was deployed. */
  readonly outcome: string | null
  /** Why, as the node said. */
  readonly message: string
}

const unsuccessful = new Set(['failed', 'rolled_back', 'partly'])

export const deploymentFailed = check({
  code: 'deployment_failed',
  severity: 'warning',
  about: 'deployment',
  endangers: 'service',
  effect: 'What was there before is in force, not what was deployed last.',
  judge({ node, what, outcome, message }: DeploymentFacts) {
    if (outcome === null || !unsuccessful.has(outcome)) return undefined
    return {
      subject: what,
      sentence: `The last deployment of ${what} to ${node} has failed${message === '' ? '' : `: ${message}`}${/[.!?]$/.test(message) ? '' : '.'}`,
      remedy: 'Mend the cause, and deploy again.',
    }
  },
})
