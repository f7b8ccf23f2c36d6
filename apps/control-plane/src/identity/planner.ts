import type { BodyFingerprint } from '../secrets/body-fingerprint.js'
import { SecretError } from '../secrets/secrets.js'
import type { DesiredIdentity } from './desired.js'
import { readFound } from './found.js'
import type { IdentityJobStore, MarkedPlan } from './job-store.js'
import { openKeystone } from './keystone/client.js'
import type { KeystoneClient } from './keystone/client.js'
import { KeystoneError } from './keystone/errors.js'
import { plannedObjects, planIdentity } from './plan.js'
import type { IdentityChanges } from './plan.js'
import { identityUri } from './uri.js'

/** What would change, and with what it is done. */
export interface PlannedIdentity extends MarkedPlan {
  readonly client: KeystoneClient
  readonly desired: DesiredIdentity
  readonly changes: IdentityChanges
  /** Stands for what Keystone should have. */
  readonly desiredMark: string
}

/** Compares the users of a cluster with its Keystone, or returns why that is not possible. */
export type IdentityPlanner = (clusterId: number) => Promise<PlannedIdentity | { readonly error: string }>

const timeoutMs = 60_000

export function createIdentityPlanner(
  store: Pick<IdentityJobStore, 'read'>,
  mac: BodyFingerprint,
  signal: AbortSignal,
): IdentityPlanner {
  return async (clusterId) => {
    try {
      const read = await store.read(clusterId)
      if (read === undefined) return { error: 'This cluster has no identity service any more. Deploy again.' }
      const { login, desired } = read
      const client = await openKeystone(login, { signal, timeoutMs })
      const found = await readFound(client, desired)
      const changes = planIdentity(desired, found)
      const objects = plannedObjects(desired, changes, found)
      const plan = { identity: identityUri(clusterId), objects, notes: [...changes.conflicts, ...cacheNotes(changes)] }
      const desiredMark = markOf(mac, read)
      return { plan, mark: `${desiredMark}.${markOf(mac, plan)}`, desiredMark, client, desired, changes }
    } catch (error) {
      if (error instanceof KeystoneError || error instanceof SecretError) return { error: error.message }
      throw error
    }
  }
}

/** Returns what an operator has to know where rights are taken. */
function cacheNotes({ users }: IdentityChanges): readonly string[] {
  if (users.every(({ revocations }) => revocations.length === 0)) return []
  return [
    'Keystone ends tokens at once. The agents of the proxies then remove what these have cached of them; where they cannot, the deployment waits for token_cache_time of authtoken (300 s unless set).',
  ]
}

/** Stands for what Keystone should have, or for what would change. Keyed, since it is made of passwords. */
function markOf(mac: BodyFingerprint, value: object): string {
  return Buffer.from(mac.of(JSON.stringify(value))).toString('hex')
}

/** Returns what has changed since a plan was reviewed; undefined while it is the same. `isResumed`: the job may have done a part of it. */
export function changedSince(reviewed: MarkedPlan, now: MarkedPlan, isResumed = false): string | undefined {
  if (reviewed.mark === now.mark) return undefined
  const again = 'Create a new plan with dry_run and review it.'
  if (isResumed)
    return `The control plane was restarted during this deployment, and what is left to do is not the reviewed plan. ${again}`
  const isHere = reviewed.mark.split('.')[0] !== now.mark.split('.')[0]
  const what = isHere ? 'The users or the identity service of this cluster were' : 'Keystone was'
  return `${what} changed after the plan was reviewed. ${again}`
}
