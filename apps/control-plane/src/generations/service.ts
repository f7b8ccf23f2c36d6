import type { DeploymentKind, DesiredState } from '@roost/api-types/agent'
import { resourceUri, RoostError } from '@roost/api-types/rest'
import type { Generations } from '@roost/api-types/rest'
import type { GenerationService } from '@roost/api-types/rpc'
import { LRUCache } from 'lru-cache'
import { deploymentKinds } from '../deployments/kinds.js'
import { notKept } from '../deployments/payload.js'
import { SecretError } from '../secrets/secrets.js'
import type { Secrets } from '../secrets/secrets.js'
import { differencesOf } from './differences.js'
import type { GenerationState, GenerationStore, StoredGeneration } from './store.js'

export interface GenerationOptions {
  readonly store: GenerationStore
  readonly secrets: Pick<Secrets, 'open'>
  /** Throws `not_found`. */
  readonly requireNode: (id: number) => Promise<unknown>
}

type Generation = Generations['generations'][number]

/** Numbers of records; a fleet of 500 nodes has as many generations. */
const maxCounts = 20_000

const none: GenerationState = { desired: 0, inForce: 0 }

/** What was deployed to nodes, for those who want to return to it. */
export function createGenerationService({ store, secrets, requireNode }: GenerationOptions): GenerationService {
  const countOf = createCounts(store, secrets)
  return {
    async list(nodeId, kind) {
      await requireNode(nodeId)
      const state = (await store.findState(nodeId, kind)) ?? none
      const generations: Generation[] = []
      for (const stored of await store.list(nodeId, kind)) {
        const records = await countOf(nodeId, kind, stored.generation)
        generations.push({ ...recordOf(stored, kind, state), records })
      }
      return {
        node: resourceUri('nodes', nodeId),
        kind,
        desired: state.desired,
        in_force: state.inForce,
        generations,
      }
    },
    async diff(nodeId, kind, a, b) {
      await requireNode(nodeId)
      const read = async (generation: number) => {
        const payload = await store.findPayload(nodeId, kind, generation)
        if (payload === undefined) throw new RoostError('not_found', notKept(generation))
        return openOrUnavailable(secrets, payload)
      }
      const [before, after] = [await read(a), await read(b)]
      return { node: resourceUri('nodes', nodeId), kind, a, b, differences: [...differencesOf(before, after)] }
    },
  }
}

function recordOf(
  { generation, createdAt, jobId, returnTo, resolution, operator }: StoredGeneration,
  kind: DeploymentKind,
  { desired, inForce }: GenerationState,
): Omit<Generation, 'records'> {
  const deployment = returnTo === null ? 'deploy' : 'return'
  return {
    generation,
    created: createdAt.toISOString(),
    is_desired: generation === desired,
    is_in_force: generation === inForce,
    action: jobId === null ? resolution : deployment,
    operator,
    job: jobId === null ? null : resourceUri(deploymentKinds[kind].resource, jobId),
    returned_to: returnTo,
  }
}

type CountOf = (nodeId: number, kind: DeploymentKind, generation: number) => Promise<number | null>

/** Generations never change: each is read and decrypted once to count its records. */
function createCounts(store: GenerationStore, secrets: GenerationOptions['secrets']): CountOf {
  const counts = new LRUCache<string, number>({ max: maxCounts })
  return async (nodeId, kind, generation) => {
    const key = `${nodeId}/${kind}/${generation}`
    const known = counts.get(key)
    if (known !== undefined) return known
    const payload = await store.findPayload(nodeId, kind, generation)
    const count = payload === undefined ? null : countRecords(secrets, payload)
    if (count !== null) counts.set(key, count)
    return count
  }
}

function countRecords(secrets: GenerationOptions['secrets'], payload: Uint8Array): number | null {
  try {
    const state = openState(secrets, payload)
    return state.kind === 'gateway' ? state.shares.length : state.users.length
  } catch (error) {
    if (error instanceof SecretError) return null
    throw error
  }
}

function openOrUnavailable(secrets: GenerationOptions['secrets'], payload: Uint8Array): DesiredState {
  try {
    return openState(secrets, payload)
  } catch (error) {
    if (error instanceof SecretError) throw new RoostError('unavailable', error.message)
    throw error
  }
}

function openState(secrets: GenerationOptions['secrets'], payload: Uint8Array): DesiredState {
  return JSON.parse(secrets.open('desired-state', payload)) as DesiredState
}
