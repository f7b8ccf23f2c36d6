import { userLineKey } from '@roost/api-types/agent'
import type { User, UserChange, UserInput } from '@roost/api-types/rest'
import { resources } from '@roost/api-types/rpc'
import type { Services } from '@roost/api-types/rpc'
import { crudService } from '../database/crud-service.js'
import type { Transaction } from '../database/transaction.js'
import type { Writes } from '../database/writes.js'
import type { Secrets } from '../secrets/secrets.js'
import { requireAdmission } from './admission.js'
import type { UserKeys, UserStore, UserUpdate } from './store.js'

export interface UserServiceOptions {
  readonly store: UserStore
  readonly writes: Writes
  readonly secrets: Secrets
}

/**
 * Storage accounts of the clusters. Only Roost's record is created and removed here; the data of an account stays in its
 * cluster, and a user who is created under the same name reaches it again.
 */
export function createUserService({ store, writes, secrets }: UserServiceOptions): Services['users'] {
  return crudService(resources.users, {
    writes,
    store: {
      ...store,
      async insert(tx, input) {
        const user = await store.insert(tx, {
          ...keysOf(input),
          name: input.user,
          password: secrets.seal('user-password', input.password),
          isSuperuser: input.is_superuser,
          enabled: input.enabled,
          setName: input.set ?? null,
        })
        return withS3Key(store, tx, user)
      },
      async update(tx, id, change, before) {
        const update = updateOf(before, change, secrets)
        const user = Object.keys(update).length === 0 ? before : await store.update(tx, id, update)
        return change.password === undefined ? user : withS3Key(store, tx, user)
      },
    },
    checks: { create: (tx, input) => requireAdmission(store, tx, keysOf(input), input.cluster) },
  })
}

/** Adds the access key of S3, which is the login to tempauth. The password is its secret key. */
async function withS3Key<T extends User>(store: UserStore, tx: Transaction, user: T): Promise<T> {
  return (await store.isInTempauth(tx, Number(user.id)))
    ? { ...user, s3_access_key: user.login ?? `${user.user}:${user.user}` }
    : user
}

function keysOf({ cluster, user }: UserInput): UserKeys {
  return { clusterId: cluster, nameKey: user.toLowerCase(), lineKey: userLineKey(user) }
}

function updateOf(before: User, change: UserChange, secrets: Secrets): UserUpdate {
  const { password, is_superuser: isSuperuser = before.is_superuser, enabled = before.enabled, set } = change
  return {
    ...(password === undefined ? {} : { password: secrets.seal('user-password', password) }),
    ...(isSuperuser === before.is_superuser ? {} : { isSuperuser }),
    ...(enabled === before.enabled ? {} : { enabled }),
    ...(set === undefined || set === (before.set ?? null) ? {} : { setName: set }),
  }
}
