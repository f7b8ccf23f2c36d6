import * as z from 'zod/mini'
import { Count, list, Name, SmallCount } from './bounds.js'

/** Usage is kept by half-hour: as fine as any question of it is asked. */
export const halfHourSeconds = 1800
/** Accounts are sampled every ten minutes. */
export const storageSlots = 3

/** Rows of each kind in one message. What is more goes into further messages of the same half-hour. */
export const maxUsageRows = 5000

/** As in the account database or the proxy's log, with its prefix: `AUTH_bob`, `.expiring_objects`. */
const account = Name.check(z.minLength(1))

/** The most that this node saw of an account in one storage policy, over its samples of the half-hour so far. */
export const StorageUsage = z.object({
  account,
  policy: SmallCount,
  bytes_used: Count,
  container_count: Count,
  object_count: Count,
  /** Which samples there were: bit 0 for one in the first ten minutes of the half-hour, bit 1 the next, bit 2 the last. */
  slots: z.int().check(z.minimum(0), z.maximum(2 ** storageSlots - 1)),
})
export type StorageUsage = z.infer<typeof StorageUsage>

/** What this node's proxy server moved for an account in the half-hour so far. */
export const TransferUsage = z.object({ account, bytes_in: Count, bytes_out: Count, req_count: Count })
export type TransferUsage = z.infer<typeof TransferUsage>

/**
 * What this node knows of a half-hour, numbered, kept by the agent until `ack`. Values count from the
 * beginning of the half-hour, never from the last message, so that a message that is repeated, late or out of order changes
 * nothing. A half-hour may be reported more than once, with values that have grown, and in parts.
 */
export const UsageMessage = z.object({
  type: z.literal('usage'),
  sequence: Count,
  /** The beginning of the half-hour in Unix seconds, by the clock that stamped the samples and the log. */
  half_hour: z.int().check(z.minimum(0), z.multipleOf(halfHourSeconds), z.maximum(2 ** 40)),
  storage: list(StorageUsage, maxUsageRows),
  transfer: list(TransferUsage, maxUsageRows),
  /** The share of the half-hour's proxy log that was read, 0 to 1; null on a node that has no such log. */
  log_read: z.nullable(z.number().check(z.minimum(0), z.maximum(1))),
})
export type UsageMessage = z.infer<typeof UsageMessage>
