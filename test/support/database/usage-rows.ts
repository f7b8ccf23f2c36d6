import type { StorageUsage, TransferUsage, UsageMessage } from '@roost/api-types/agent'
import { addNode } from '../agents/fleet-rows.js'
import type { TestDatabase } from './database.js'

export const halfHourMs = 1_800_000

/** A message about the half-hour that begins then, such as `2017-05-31T19:00:00Z`. */
export function usageMessage(
  start: string | number,
  { storage = [], transfer = [], log_read = null }: Partial<Pick<UsageMessage, 'storage' | 'transfer' | 'log_read'>>,
): UsageMessage {
  const seconds = Math.floor((typeof start === 'number' ? start : Date.parse(start)) / 1000)
  return { type: 'usage', sequence: 1, half_hour: seconds, storage, transfer, log_read }
}

/** All samples of the half-hour there. */
export function storageOf(account: string, bytes: number, more: Partial<StorageUsage> = {}): StorageUsage {
  return { account, policy: 0, bytes_used: bytes, container_count: 1, object_count: 2, slots: 7, ...more }
}

export function transferOf(account: string, bytesIn: number, bytesOut = 0, requests = 1): TransferUsage {
  return { account, bytes_in: bytesIn, bytes_out: bytesOut, req_count: requests }
}

/** A node whose usage is accepted: an approved proxy with a device in the account ring, of a cluster with policies 0 to 3. */
export async function addProxy(database: TestDatabase, clusterId: number): Promise<number> {
  const policy = { clusterId, isDefault: false, isDeprecated: false, type: 'replication' }
  const data = [0, 1, 2, 3].map((index) => ({ ...policy, index, name: `policy-${index}` }))
  await database.prisma.storagePolicy.createMany({ data, skipDuplicates: true })
  return addNode(database, clusterId, { role: { create: { runsProxy: true } }, inAccountRing: true })
}
