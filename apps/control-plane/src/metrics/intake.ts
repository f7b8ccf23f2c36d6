import { setImmediate } from 'node:timers/promises'
import type { CatalogueMessage } from '@roost/api-types/agent'
import { RoostError } from '@roost/api-types/rest'
import { KeyedQueue } from '@roost/runtime'
import type { LatestValues } from './latest-values.js'
import type { Members } from './members.js'
import type { MetricStore } from './store.js'

/** What the agents' stream gives to metrics. */
export interface MetricIntake {
  /** In memory before the first await, so that frames may follow at once; resolves when it is stored too. */
  catalogue(nodeId: number, message: Pick<CatalogueMessage, 'id' | 'metrics'>): Promise<void>
  /** Throws FrameError for a frame that cannot be read. */
  frame(nodeId: number, bytes: Uint8Array): void
  /** The node's session begins, or ends. */
  connected(nodeId: number): void
  disconnected(nodeId: number): void
  /** Whether the node has a session: only such nodes count in the values of their cluster. */
  readonly isOnline: (nodeId: number) => boolean
  /** The node was removed. */
  forget(nodeId: number): void
  /** Takes in what the database knows: names after a restart, nodes that came or went meanwhile. */
  refresh(): Promise<void>
  /** Removes stored definitions that no node uses any more. */
  prune(): Promise<void>
}

interface MetricIntakeOptions {
  readonly latest: LatestValues
  readonly members: Members
  readonly store: MetricStore
}

/** No frame names it: an agent sends its catalogue before its first frame of a session. */
const catalogueOfDatabase = -1

export function createMetricIntake({ latest, members, store }: MetricIntakeOptions): MetricIntake {
  /** Digest of what the database holds for each node. */
  const stored = new Map<number, string>()

  const online = new Set<number>()

  const forget = (nodeId: number) => {
    latest.forget(nodeId)
    members.remove(nodeId)
    stored.delete(nodeId)
  }
  /** One catalogue of a node at a time, so that the database has the last one. */
  const saves = new KeyedQueue<number>()
  const save = async (nodeId: number, digest: string, metrics: CatalogueMessage['metrics']) => {
    if (stored.get(nodeId) === digest && members.clusterOf(nodeId) !== undefined) return
    // Requests are handled between the two halves of a large catalogue.
    await setImmediate()
    const clusterId = await store.upsertCatalogue(nodeId, digest, metrics)
    if (clusterId === undefined) {
      forget(nodeId)
      throw new RoostError('not_found', `There is no node ${nodeId}.`)
    }
    stored.set(nodeId, digest)
    members.add(nodeId, clusterId)
  }
  const loadStored = async (missing: readonly Missing[]) => {
    for (const [nodeId, digest, metrics] of await readStored(store, missing)) {
      if (latest.get(nodeId)) continue
      latest.storeCatalogue(nodeId, { id: catalogueOfDatabase, metrics })
      stored.set(nodeId, digest)
    }
  }
  return {
    async catalogue(nodeId, message) {
      latest.storeCatalogue(nodeId, message)
      const digest = latest.get(nodeId)?.catalogue.digest
      if (digest !== undefined) await saves.run(nodeId, () => save(nodeId, digest, message.metrics))
    },
    connected: (nodeId) => void online.add(nodeId),
    disconnected: (nodeId) => void online.delete(nodeId),
    isOnline: (nodeId) => online.has(nodeId),
    frame: (nodeId, bytes) => latest.storeFrame(nodeId, bytes),
    forget,
    prune: () => store.deleteUnused(),
    async refresh() {
      const known = new Set(members.all)
      const nodes = await store.listNodes()
      for (const { nodeId, clusterId } of nodes) members.add(nodeId, clusterId)
      await loadStored(nodes.filter(({ nodeId, digest }) => digest !== null && !latest.get(nodeId)))
      // Only what was known before the query: a node that came meanwhile is not in its answer.
      const there = new Set(nodes.map(({ nodeId }) => nodeId))
      for (const nodeId of known) if (!there.has(nodeId)) forget(nodeId)
    },
  }
}

interface Missing {
  readonly nodeId: number
  readonly digest: string | null
}

/** Returns the definitions of nodes as the database has them. */
async function readStored(store: MetricStore, missing: readonly Missing[]) {
  if (missing.length === 0) return []
  const definitions = await store.listDefinitions()
  return missing.flatMap(({ nodeId, digest }) => {
    const metrics = digest === null ? undefined : definitions.get(digest)
    return metrics && digest !== null ? [[nodeId, digest, metrics] as const] : []
  })
}
