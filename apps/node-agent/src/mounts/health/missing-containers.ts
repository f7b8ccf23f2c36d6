import type { StorageLogin } from '@roost/api-types/agent'
import { inParallel } from '@roost/runtime'
import type { StorageClient } from './storage-client.js'

/** Finds the containers that do not exist. Returns none when Swift does not answer, which is checked elsewhere. */
export type FindMissingContainers = (login: StorageLogin, containers: readonly string[]) => Promise<ReadonlySet<string>>

const atOnce = 8
const notFound = 404

export function createMissingContainers(client: StorageClient): FindMissingContainers {
  return async (login, containers) => {
    const missing = new Set<string>()
    const account = await client.open(login).catch(() => undefined)
    let isUnavailable = account === undefined
    await inParallel([...new Set(containers)], atOnce, async (container) => {
      if (isUnavailable || account === undefined) return
      const head = await account.head(container).catch(() => undefined)
      isUnavailable ||= head === undefined
      if (head?.status === notFound) missing.add(container)
    })
    return missing
  }
}
