import { resourceUri, unfinishedStates } from '@roost/api-types/rest'
import type { AgentUpgradeJob, JobState, UpgradeTargetState } from '@roost/api-types/rest'
import { resources } from '@roost/api-types/rpc'
import type { Prisma } from '@roost/database'
import type { Database } from '../database/database.js'
import { lockInserts } from '../database/insert-order.js'
import { tableStore } from '../database/table-store.js'
import type { Transaction } from '../database/transaction.js'
import { upgradeProgress } from './decide.js'
import type { UpgradeTargetNow } from './decide.js'
import type { PlannedTarget, WaveRules } from './waves.js'

const table = 'agent_upgrades'
const shown = {
  include: { targets: { orderBy: { nodeId: 'asc' }, include: { node: { select: { hostname: true } } } } },
} as const satisfies { readonly include: Prisma.AgentUpgradeInclude }
type Row = Prisma.AgentUpgradeGetPayload<typeof shown>

export interface NewUpgrade extends WaveRules {
  readonly clusterId: number
  readonly nodeId: number | null
  readonly targets: readonly PlannedTarget[]
}

/** An unfinished upgrade, or one with nodes that were offline. */
export interface UpgradeNow {
  readonly id: number
  /** Names its attempt to the agents: an id may be used again after a backup was restored. */
  readonly name: string
  readonly version: string
  readonly state: JobState
  readonly targets: readonly UpgradeTargetNow[]
}

export type UpgradeStore = ReturnType<typeof createUpgradeStore>

export function createUpgradeStore(database: Database) {
  const records = tableStore(database, resources.agentUpgrades, {
    model: 'AgentUpgrade',
    columns: { created: 'createdAt', started: 'startedAt', finished: 'finishedAt' },
    shown,
    recordOf: upgradeRecord,
  })
  return { ...records, ...readsOf(database), ...writes }
}

function readsOf({ prisma }: Database) {
  return {
    transaction: <T>(work: (tx: Transaction) => Promise<T>) => prisma.$transaction(work),
    /** The upgrades that are not finished, and those with nodes that began or may begin after their end. */
    async open(): Promise<readonly UpgradeNow[]> {
      const returning = { targets: { some: { state: { in: ['offline', 'upgrading'] } } } }
      const where = { OR: [{ state: { in: [...unfinishedStates] } }, returning] }
      return (await prisma.agentUpgrade.findMany({ where, ...shown, orderBy: { id: 'asc' } })).map(upgradeNow)
    },
  }
}

const writes = {
  async insert(tx: Transaction, { targets, ...upgrade }: NewUpgrade): Promise<AgentUpgradeJob> {
    const nodeIds = targets.map(({ nodeId }) => nodeId)
    const replaced = { state: 'skipped', message: 'A later upgrade has replaced this one.' }
    await tx.agentUpgradeTarget.updateMany({ where: { nodeId: { in: nodeIds }, state: 'offline' }, data: replaced })
    const data = { ...upgrade, state: 'QUEUED', targets: { create: [...targets] } }
    return upgradeRecord(await tx.agentUpgrade.create({ data, ...shown }))
  },
  /** Keeps others from inserting until the transaction ends, and returns an unfinished upgrade of the cluster. */
  async findUnfinished(tx: Transaction, clusterId: number): Promise<number | undefined> {
    await lockInserts(tx, table)
    const where = { clusterId, state: { in: [...unfinishedStates] } }
    return (await tx.agentUpgrade.findFirst({ select: { id: true }, where }))?.id
  },
  /** The enabled nodes of a cluster, or one node; undefined where there is no such record. */
  async findNodes(
    tx: Transaction,
    { node, cluster = 0 }: { readonly node?: number | undefined; readonly cluster?: number | undefined },
  ) {
    const select = { id: true, clusterId: true, agentVersion: true } as const
    if (node !== undefined) {
      const row = await tx.node.findUnique({ select, where: { id: node } })
      return row === null ? undefined : { clusterId: row.clusterId, nodes: [row] }
    }
    if ((await tx.cluster.count({ where: { id: cluster } })) === 0) return undefined
    const where = { clusterId: cluster, enabled: true }
    return { clusterId: cluster, nodes: await tx.node.findMany({ select, where, orderBy: { id: 'asc' } }) }
  },
  async findForUpdate(tx: Transaction, id: number) {
    await tx.$queryRaw`select id from agent_upgrades where id = ${id} for update`
    const row = await tx.agentUpgrade.findUnique({ where: { id }, ...shown })
    return row === null ? undefined : { record: upgradeRecord(row), now: upgradeNow(row) }
  },
  async updateTargets(
    tx: Transaction,
    upgradeId: number,
    nodeIds: readonly number[],
    change: { readonly state?: UpgradeTargetState; readonly message?: string },
  ): Promise<void> {
    if (nodeIds.length === 0) return
    await tx.agentUpgradeTarget.updateMany({ where: { upgradeId, nodeId: { in: [...nodeIds] } }, data: change })
  },
  async begin(tx: Transaction, id: number, startedAt: Date): Promise<void> {
    await tx.agentUpgrade.update({ where: { id }, data: { state: 'IN_PROGRESS', startedAt } })
  },
  async finish(tx: Transaction, id: number, end: { readonly state: JobState; readonly message: string }, at: Date) {
    await tx.agentUpgrade.update({ where: { id }, data: { ...end, finishedAt: at } })
  },
}

function upgradeNow({ id, createdAt, version, state, targets }: Row): UpgradeNow {
  return {
    id,
    name: `${id}-${createdAt.getTime()}`,
    version,
    state: state as JobState,
    targets: byWave(targets).map((target) => ({
      nodeId: target.nodeId,
      hostname: target.node.hostname,
      wave: target.wave,
      state: target.state as UpgradeTargetState,
      message: target.message,
    })),
  }
}

function upgradeRecord(row: Row): AgentUpgradeJob {
  const { targets } = upgradeNow(row)
  return {
    id: row.id,
    resource_uri: resourceUri(table, row.id),
    cluster: resourceUri('clusters', row.clusterId),
    node: row.nodeId === null ? null : resourceUri('nodes', row.nodeId),
    version: row.version,
    canary: row.canary,
    wave_percent: row.wavePercent,
    state: row.state as JobState,
    created: row.createdAt.toISOString(),
    started: row.startedAt?.toISOString() ?? null,
    finished: row.finishedAt?.toISOString() ?? null,
    progress: upgradeProgress(row.state, targets),
    message: row.message,
    targets: byWave(row.targets).map(({ nodeId, wave, state, message, fromVersion }) => ({
      node: resourceUri('nodes', nodeId),
      wave,
      state: state as UpgradeTargetState,
      message,
      from_version: fromVersion,
    })),
  }
}

function byWave<T extends { readonly wave: number }>(targets: readonly T[]): readonly T[] {
  return targets.toSorted((one, other) => one.wave - other.wave)
}
