import { check } from './check.js'

interface DispersionFacts {
  readonly policy: string
  readonly kind: 'container' | 'object'
  /** Copies that are where the ring has them, and those that should be. */
  readonly found: number
  readonly expected: number
  /** The most copies that one partition lacks. */
  readonly mostMissing: number
}

export const dispersionLow = check({
  code: 'dispersion_low',
  severity: 'warning',
  about: 'policy',
  endangers: 'redundancy',
  effect: 'Some objects have fewer copies where the ring has them than their policy demands.',
  measure: { what: 'copies that are missing' },
  judge({ policy, kind, found, expected, mostMissing }: DispersionFacts) {
    if (found >= expected) return undefined
    return {
      value: expected - found,
      threshold: 0,
      subject: policy,
      sentence: `Only ${found} of ${expected} ${kind} copies of policy ${policy} are where the ring has them; a partition lacks up to ${mostMissing}.`,
      remedy:
        'Check that all devices are mounted and that the replicators run. After a rebalance wait for their next passes.',
    }
  },
})

export const dispersionUnknown = check({
  code: 'dispersion_unknown',
  severity: 'warning',
  about: 'policy',
  endangers: 'upkeep',
  effect: 'Missing copies are not noticed.',
  judge: ({ policy, reason }: { readonly policy: string; readonly reason: string }) => ({
    subject: policy,
    sentence: `The dispersion of policy ${policy} could not be measured (${reason}).`,
    remedy: `Check /etc/swift/dispersion.conf, and run swift-dispersion-populate --policy-name '${policy}' once.`,
  }),
})
