import type { Log } from '../../lifecycle/log.js'
import { SecretError } from '../../secrets/secrets.js'
import { openKeystone } from '../keystone/client.js'
import { KeystoneError } from '../keystone/errors.js'
import { KeystoneProject } from '../keystone/objects.js'
import type { KeystoneLogin } from '../keystone/login.js'

export interface ProjectStore {
  /** Clusters with an identity service. */
  clusters(): Promise<readonly number[]>
  /** Undefined where the cluster has no identity service. Throws SecretError. */
  login(clusterId: number): Promise<KeystoneLogin | undefined>
  /** Records the names of the projects whose accounts have usage. */
  record(clusterId: number, projects: readonly { readonly id: string; readonly name: string }[]): Promise<void>
}

export interface ProjectNames {
  /** Reads the names of all projects again, of every cluster with an identity service or of this one. */
  read(clusterId?: number): Promise<void>
}

const timeoutMs = 60_000

/** Keeps the names of projects beside the accounts that have usage. A Keystone that cannot be read leaves those of before. */
export function createProjectNames(
  store: ProjectStore,
  { log, signal }: { readonly log: Pick<Log, 'warn'>; readonly signal: AbortSignal },
): ProjectNames {
  /** What was logged last of each cluster: a fault that lasts is one line. */
  const faults = new Map<number, string>()
  const readCluster = async (clusterId: number) => {
    const fault = await readNames(store, clusterId, signal)
    if (fault !== undefined && fault !== faults.get(clusterId) && !signal.aborted)
      log.warn({ cluster: clusterId, error: fault }, 'could not read the names of projects, retrying')
    if (fault === undefined) faults.delete(clusterId)
    else faults.set(clusterId, fault)
  }
  return {
    async read(clusterId) {
      for (const id of clusterId === undefined ? await store.clusters() : [clusterId])
        if (!signal.aborted) await readCluster(id)
    },
  }
}

/** Returns why the names of a cluster could not be read. */
async function readNames(store: ProjectStore, clusterId: number, signal: AbortSignal): Promise<string | undefined> {
  try {
    const login = await store.login(clusterId)
    if (login === undefined) return undefined
    const client = await openKeystone(login, { signal, timeoutMs })
    await store.record(clusterId, await client.list('/projects', 'projects', KeystoneProject))
    return undefined
  } catch (error) {
    if (error instanceof KeystoneError || error instanceof SecretError) return error.message
    throw error
  }
}
