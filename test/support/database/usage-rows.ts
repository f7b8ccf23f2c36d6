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

export function addProxy(database: TestDatabase, clusterId: number): Promise<number> {
  return addNode(database, clusterId, { role: { create: { runsProxy: true } } })
}
