import { maxUsersPerCluster } from '@roost/api-types/rest'
import type { Transaction } from '../database/transaction.js'
import { unknownRelation } from '../services/errors.js'
import { fieldError } from '../services/field-errors.js'
import type { UserKeys, UserStore } from './store.js'

/** Throws unless the cluster can have the user. */
export async function requireAdmission(
  store: Pick<UserStore, 'admit'>,
  tx: Transaction,
  keys: UserKeys,
  clusterId: number,
): Promise<void> {
  const admission = await store.admit(tx, keys)
  if (admission === undefined) throw unknownRelation('clusters', clusterId)
  if (admission.clash !== null) throw fieldError({ user: [reasonOf(admission.clash, admission.clashIsOfName)] })
  if (admission.users >= maxUsersPerCluster)
    throw fieldError({ cluster: [`The cluster already has ${maxUsersPerCluster} users, which is the maximum.`] })
}

function reasonOf(user: string, isOfName: boolean): string {
  if (isOfName) return `The cluster already has a user '${user}'; names are not case-sensitive.`
  return `This name differs from '${user}' only in case or in the way that tempauth writes it, and tempauth could not tell them apart. Choose another name.`
}
