import { check } from './check.js'

interface IdentityFacts {
  readonly cluster: string
  /** The URL of Keystone. */
  readonly url: string
  readonly state: string
  /** What differs, or why Keystone could not be read: sentences. */
  readonly detail: string
}

export const identityDrift = check({
  code: 'identity_drift',
  severity: 'warning',
  about: 'url',
  endangers: 'service',
  effect: 'A user may have rights that Roost does not show, or lack those that it shows.',
  judge({ cluster, url, state, detail }: IdentityFacts) {
    if (state !== 'drifted') return undefined
    return {
      subject: url,
      sentence: `The users of ${cluster} in Keystone are not what was deployed: they were changed there. ${detail}`,
      remedy: `Look at the plan with \`roost deploy users --cluster ${cluster} --plan-only\`, then deploy, or change the users in Roost.`,
    }
  },
})

export const identityUnreachable = check({
  code: 'identity_unreachable',
  severity: 'warning',
  about: 'url',
  endangers: 'service',
  effect:
    'Users cannot be deployed, and changes in Keystone are not seen. If Swift does not reach it either, it refuses its clients.',
  alert: { forSeconds: 600 },
  judge({ cluster, url, state, detail }: IdentityFacts) {
    if (state !== 'unreachable') return undefined
    return {
      subject: url,
      sentence: `Roost cannot read the users of ${cluster} in Keystone. ${detail}`,
      remedy: 'Mend what it says, or set the login again with `roost cluster set-identity`.',
    }
  },
})
