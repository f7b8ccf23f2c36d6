import { randomBytes, randomUUID } from 'node:crypto'
import type { Database } from '@roost/database'

type Prisma = Pick<Database, 'prisma'>

/** Rows as they stand in the database, for suites that begin below the API. */
export async function insertCluster({ prisma }: Prisma, name: string = randomUUID()): Promise<number> {
  const { id } = await prisma.cluster.create({ data: { name } })
  return id
}

export async function insertNode({ prisma }: Prisma, clusterId: number, hostname = 'node'): Promise<number> {
  const data = { clusterId, hostname, publicKey: randomBytes(32), machineId: randomUUID(), bootId: randomUUID() }
  const { id } = await prisma.node.create({ data: { ...data, role: { create: {} } } })
  return id
}

export async function insertPolicy(
  { prisma }: Prisma,
  clusterId: number,
  index: number,
  name: string,
): Promise<number> {
  const flags = { isDefault: index === 0, isDeprecated: false, type: 'replication' }
  const { id } = await prisma.storagePolicy.create({ data: { clusterId, index, name, aliases: [], ...flags } })
  return id
}

export interface DeviceRow {
  readonly agentKey: string
  readonly policyIds: readonly number[]
  readonly status?: string
  /** Total, free and available bytes. */
  readonly figures?: readonly [number, number, number]
}

export async function insertDevice(
  { prisma }: Prisma,
  clusterId: number,
  nodeId: number,
  row: DeviceRow,
): Promise<number> {
  const [totalBytes, freeBytes, availableBytes] = row.figures?.map(BigInt) ?? []
  const { id } = await prisma.device.create({
    data: {
      clusterId,
      nodeId,
      name: row.agentKey,
      agentKey: row.agentKey,
      status: row.status ?? 'ok',
      totalBytes: totalBytes ?? null,
      freeBytes: freeBytes ?? null,
      availableBytes: availableBytes ?? null,
      policies: { create: row.policyIds.map((policyId) => ({ policyId })) },
    },
  })
  return id
}
