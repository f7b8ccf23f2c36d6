import { randomBytes, randomUUID } from 'node:crypto'
import type { Prisma } from '@roost/database'
import type { TestDatabase } from '../database/database.js'

/** A cluster as `roost cluster add` makes it. */
export async function addCluster(
  { prisma }: Pick<TestDatabase, 'prisma'>,
  name = `cluster-${randomUUID()}`,
): Promise<number> {
  const { id } = await prisma.cluster.create({ data: { name } })
  return id
}

/** A node as enrollment and a first inventory leave it; an operator has approved the roles with which it is created. */
export async function addNode(
  { prisma }: Pick<TestDatabase, 'prisma'>,
  clusterId: number,
  more: Partial<Prisma.NodeUncheckedCreateInput> = {},
): Promise<number> {
  const { id } = await prisma.node.create({
    data: {
      clusterId,
      hostname: `node-${randomUUID()}`,
      publicKey: new Uint8Array(randomBytes(32)),
      machineId: randomUUID(),
      bootId: randomUUID(),
      role: { create: {} },
      rolesGranted: rolesIn(more),
      ...more,
    },
  })
  return id
}

function rolesIn({ role }: Partial<Prisma.NodeUncheckedCreateInput>): string[] {
  const flags = role?.create
  return [
    ...(flags?.runsGateway === true ? ['runs_gateway'] : []),
    ...(flags?.runsProxy === true ? ['runs_proxy'] : []),
  ]
}

export async function addDevice(
  { prisma }: Pick<TestDatabase, 'prisma'>,
  clusterId: number,
  nodeId: number,
  more: Partial<Prisma.DeviceUncheckedCreateInput> & Omit<Prisma.DeviceUsageUncheckedCreateInput, 'deviceId'> = {},
): Promise<number> {
  const { totalBytes, freeBytes, availableBytes, lastSeen, ...columns } = more
  const usage = {
    totalBytes: totalBytes ?? null,
    freeBytes: freeBytes ?? null,
    availableBytes: availableBytes ?? null,
    lastSeen: lastSeen ?? null,
  }
  const name = `d-${randomUUID()}`
  const { id } = await prisma.device.create({
    data: { clusterId, nodeId, name, agentKey: name, status: 'ok', usage: { create: usage }, ...columns },
  })
  return id
}

export async function addPolicy(
  { prisma }: Pick<TestDatabase, 'prisma'>,
  clusterId: number,
  index: number,
  name = `policy-${index}`,
): Promise<number> {
  const { id } = await prisma.storagePolicy.create({
    data: { clusterId, index, name, isDefault: index === 0, isDeprecated: false, type: 'replication' },
  })
  return id
}

/** An alert that fires, as a round of the health leaves it; without a cluster, of the control plane. */
export async function addAlert(
  { prisma }: Pick<TestDatabase, 'prisma'>,
  clusterId: number | null,
  more: Partial<Prisma.AlertUncheckedCreateInput> = {},
): Promise<number> {
  const fingerprint = randomBytes(8).toString('hex')
  const at = new Date('2026-11-22T10:33:02Z')
  const names = { code: 'DEVICE_UNMOUNTED', problem: 'device_unmounted', subject: 'd5', summary: 'It is not mounted.' }
  const now = { severity: 'warning', state: 'firing', startedAt: at, firedAt: at, changedAt: at }
  const { id } = await prisma.alert.create({
    data: { clusterId, fingerprint, openKey: fingerprint, ...names, ...now, ...more },
  })
  return id
}

/** A message to a receiver of its own, which was delivered. */
export async function addAlertDelivery(
  { prisma }: Pick<TestDatabase, 'prisma'>,
  clusterId: number,
  more: Partial<Prisma.AlertDeliveryUncheckedCreateInput> = {},
): Promise<number> {
  const at = new Date('2026-11-22T10:36:32Z')
  const settings = { kind: 'webhook', target: 'https://alerts.example', settings: new Uint8Array() }
  const choices = { leastSeverity: 'warning', sendResolved: true, enabled: false }
  const receiver = await prisma.alertReceiver.create({ data: { name: `r-${randomUUID()}`, ...settings, ...choices } })
  const about = { receiverId: receiver.id, clusterId, code: 'DEVICE_UNMOUNTED' }
  const ended = { state: 'delivered', attempts: 1, createdAt: at, expiresAt: at, endedAt: at }
  return (await prisma.alertDelivery.create({ data: { ...about, ...ended, ...more } })).id
}
