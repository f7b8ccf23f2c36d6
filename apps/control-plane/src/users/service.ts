import { userLineKey } from '@roost/api-types/agent'
import { maxUsersPerCluster, userRules } from '@roost/api-types/rest'
import type { UserChange, UserInput } from '@roost/api-types/rest'
import type { UserService } from '@roost/api-types/rpc'
import { differences } from '../database/writes.js'
import type { Writes } from '../database/writes.js'
import type { Transaction } from '../database/transaction.js'
import { found, unknownRelation } from '../services/errors.js'
import { assertFresh } from '../services/etag.js'
import { fieldError } from '../services/field-errors.js'
import { createReads } from '../services/reads.js'
import type { Secrets } from '../secrets/secrets.js'
import type { StoredUser, UserStore, UserUpdate } from './store.js'

export interface UserCollaborators {
  readonly store: UserStore
  readonly writes: Writes
  readonly secrets: Secrets
}

/**
 * Storage accounts of the clusters. Only Roost's record is made and removed here; what an account holds lies in its
 * cluster, and is reached again by a user who is created under the same name.
 */
export function createUserService({ store, writes, secrets }: UserCollaborators): UserService {
  return {
    ...createReads(store),
    create: (input, caller) =>
      writes.run(caller, async (tx) => {
        const clusterId = await admit(store, tx, input)
        const made = await store.insert(tx, {
          clusterId,
          name: input.user,
          nameKey: input.user.toLowerCase(),
          lineKey: userLineKey(input.user),
          password: secrets.seal('user-password', input.password),
          isSuperuser: input.is_superuser,
          enabled: input.enabled,
        })
        const result = { ...made, password: input.password }
        return { result, audit: auditOf('create', made, {}, result) }
      }),
    change: (id, change, caller, options) =>
      writes.run(caller, async (tx) => {
        const before = found(await store.findForUpdate(tx, id))
        assertFresh(before, userRules, options?.ifMatch)
        const update = updateOf(before, change, secrets)
        const changed = Object.keys(update).length === 0 ? before : await store.update(tx, id, update)
        const result = change.password === undefined ? changed : { ...changed, password: change.password }
        return { result, audit: auditOf('change', before, before, result) }
      }),
    remove: (id, caller, options) =>
      writes.run(caller, async (tx) => {
        const before = found(await store.findForUpdate(tx, id))
        assertFresh(before, userRules, options?.ifMatch)
        await store.delete(tx, id)
        return { result: undefined, audit: auditOf('remove', before, before, {}) }
      }),
  }
}

/** The id of the cluster that takes the user in; throws when it does not. */
async function admit(store: UserStore, tx: Transaction, { cluster: clusterId, user }: UserInput): Promise<number> {
  const keys = { clusterId, nameKey: user.toLowerCase(), lineKey: userLineKey(user) }
  const admission = await store.admit(tx, keys)
  if (admission === undefined) throw unknownRelation('clusters', clusterId)
  if (admission.clash !== null) throw fieldError({ user: [reasonOf(admission.clash, admission.clashIsOfName)] })
  if (admission.users >= maxUsersPerCluster)
    throw fieldError({ cluster: [`The cluster has ${maxUsersPerCluster} users already, and takes no more.`] })
  return clusterId
}

function reasonOf(user: string, isOfName: boolean): string {
  if (isOfName) return `The cluster has a user '${user}' already; names are compared without case.`
  return `The line of this name in the cluster's configuration would equal that of '${user}' but for case, and the cluster's authentication would not start.`
}

function updateOf(before: StoredUser, change: UserChange, secrets: Secrets): UserUpdate {
  const { password, is_superuser: isSuperuser = before.is_superuser, enabled = before.enabled } = change
  return {
    ...(password === undefined ? {} : { password: secrets.seal('user-password', password) }),
    ...(isSuperuser === before.is_superuser ? {} : { isSuperuser }),
    ...(enabled === before.enabled ? {} : { enabled }),
  }
}

function auditOf(action: string, { id }: StoredUser, before: object, after: object) {
  const changes = differences(shown(before), shown(after), ['password'])
  return { action, resource: 'users', resourceId: Number(id), changes }
}

/** Without what is Roost's own. */
function shown(record: object): object {
  return { ...record, revision: undefined }
}
