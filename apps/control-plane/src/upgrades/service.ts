import { compareVersions, upgradeCapability } from '@roost/api-types/agent'
import type { AgentPackage } from '@roost/api-types/agent'
import { resourceUri, RoostError } from '@roost/api-types/rest'
import type { AgentUpgradeInput, AgentUpgradeJob, AuditAction } from '@roost/api-types/rest'
import type { AgentUpgradeService } from '@roost/api-types/rpc'
import type { NodeChannel } from '../agents/requests.js'
import type { Transaction } from '../database/transaction.js'
import type { Writes } from '../database/writes.js'
import { found, unknownRelation } from '../services/errors.js'
import { fieldError } from '../services/field-errors.js'
import { createReads } from '../services/reads.js'
import type { UpgradeStore } from './store.js'
import { planWaves } from './waves.js'
import type { UpgradeNode } from './waves.js'

export interface UpgradeServiceOptions {
  readonly store: UpgradeStore
  readonly writes: Writes
  readonly channel: Pick<NodeChannel, 'agentOf'>
  /** The signed packages of the agent that the control plane offers. */
  readonly listPackages: () => Promise<readonly AgentPackage[]>
  /** There is something to do. */
  readonly wake: () => void
}

/** The API of upgrades. The runner does the rest. */
export function createUpgradeService(options: UpgradeServiceOptions): AgentUpgradeService {
  const { store, writes, wake } = options
  return {
    ...createReads(store),
    async create(input, caller) {
      const version = input.version ?? (await newestVersion(options))
      const result = await writes.run(caller, async (tx) => {
        const created = await insert(options, tx, { ...input, version })
        return { result: created, audit: auditOf('create', created) }
      })
      wake()
      return result
    },
    async cancel(id, caller) {
      const result = await writes.run(caller, async (tx) => {
        const { now } = found(await store.findForUpdate(tx, id))
        const open = now.targets.filter(({ state }) => state === 'waiting' || state === 'offline')
        if (open.length === 0)
          throw new RoostError('conflict', 'All nodes have started this upgrade or are done with it.')
        const nodeIds = open.map(({ nodeId }) => nodeId)
        await store.updateTargets(tx, id, nodeIds, { state: 'skipped', message: `Canceled by ${caller.operator}.` })
        const { record } = found(await store.findForUpdate(tx, id))
        return { result: record, audit: auditOf('cancel', record) }
      })
      wake()
      return result
    },
  }
}

async function newestVersion({ listPackages }: UpgradeServiceOptions): Promise<string> {
  const versions = (await listPackages()).map(({ version }) => version)
  const newest = versions.toSorted(compareVersions).at(-1)
  if (newest !== undefined) return newest
  throw fieldError({
    version: ['The control plane has no signed package of the agent. Add one with: roost packages add FILE'],
  })
}

async function insert(
  { store, channel }: UpgradeServiceOptions,
  tx: Transaction,
  { node, cluster = 0, version, canary, wave_percent: wavePercent }: AgentUpgradeInput & { readonly version: string },
): Promise<AgentUpgradeJob> {
  const target = await store.findNodes(tx, { node, cluster })
  if (target === undefined)
    throw node === undefined ? unknownRelation('clusters', cluster) : unknownRelation('nodes', node)
  const { clusterId } = target
  const unfinished = await store.findUnfinished(tx, clusterId)
  if (unfinished !== undefined) {
    const uri = resourceUri('agent_upgrades', unfinished)
    throw new RoostError('conflict', `An upgrade of this cluster is not finished: see ${uri}.`)
  }
  const nodes = target.nodes.map(({ id, agentVersion }): UpgradeNode => {
    const agent = channel.agentOf(id)
    return {
      nodeId: id,
      version: agent?.agentVersion ?? agentVersion ?? '',
      isConnected: agent !== undefined,
      acceptsUpgrades: agent?.capabilities.has(upgradeCapability) ?? false,
    }
  })
  const rules = { version, canary, wavePercent }
  return store.insert(tx, { ...rules, clusterId, nodeId: node ?? null, targets: planWaves(nodes, rules) })
}

function auditOf(action: AuditAction, { id, node, cluster, version, canary, wave_percent }: AgentUpgradeJob) {
  const fields = action === 'create' ? { cluster, node, version, canary, wave_percent } : { version }
  const changes = Object.entries(fields).filter(([, value]) => value !== null)
  return {
    action,
    resource: 'agent_upgrades',
    resourceId: id,
    changes: Object.fromEntries(changes.map(([field, value]) => [field, [null, value]])),
  }
}
