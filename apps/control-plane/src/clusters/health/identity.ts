import { deploymentFailed, identityDrift, identityUnreachable } from '@roost/api-types/checks'
import type { IdentityHealth } from '@roost/api-types/rest'
import { identityUri } from '../../identity/uri.js'
import type { JudgedIdentity } from './identity-store.js'
import { ofNode } from './reasons.js'
import type { Reason } from './reasons.js'

/** The Keystone of a cluster. */
export interface IdentityFacts {
  /** The name of the cluster. */
  readonly cluster: string
  readonly identity: JudgedIdentity | undefined
}

/** Judges the Keystone of a cluster. */
export function identityReasons({ cluster, identity }: IdentityFacts): readonly Reason[] {
  if (identity === undefined) return []
  const { failure, ...facts } = identity
  const failed =
    failure === null
      ? []
      : deploymentFailed.find({ node: 'Keystone', what: 'users', outcome: 'failed', message: failure })
  return ofNode(null, [
    ...identityDrift.find({ cluster, ...facts }),
    ...identityUnreachable.find({ cluster, ...facts }),
    ...failed,
  ])
}

/** Returns whether the state of Keystone shows that a drift has ended if it is not found. */
export function isIdentityKnown(identity: JudgedIdentity | undefined, problem: string): boolean {
  if (problem !== 'identity_drift' || identity === undefined) return true
  return identity.state === 'synced' || identity.state === 'pending'
}

/** Returns the record of the Keystone of a cluster. */
export function identityRecord(clusterId: number, identity: JudgedIdentity | undefined): IdentityHealth | null {
  if (identity === undefined) return null
  const { state, detail, checkedAt } = identity
  return { identity: identityUri(clusterId), state, detail, checked: checkedAt?.toISOString() ?? null }
}
