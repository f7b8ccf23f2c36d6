import { halfHourAheadSeconds, halfHourSeconds } from '@roost/api-types/agent'
import type { StorageUsage, TransferUsage, UsageMessage } from '@roost/api-types/agent'
import { RoostError } from '@roost/api-types/rest'
import { concurrencyLimit } from '@roost/runtime'
import type { Log } from '../lifecycle/log.js'
import { halfHourMs, timeText } from './half-hours.js'
import { writeWithoutPoison } from '../database/write-without-poison.js'
import type { UsageIntakeStore } from './intake-store.js'
import { newAccountLimit } from './new-accounts.js'
import { permittedUsage } from './permitted.js'

/** After its end a half-hour stays open so long for messages that are on their way. */
const openForMs = 3_600_000

/** After an outage a whole fleet sends what it kept: it must not take the database from the API. */
const messagesAtOnce = 2

export interface UsageIntake {
  /** Resolves when the message is stored, or was before: then the agent forgets it. */
  accept(nodeId: number, message: UsageMessage): Promise<void>
}

interface UsageIntakeOptions {
  readonly store: UsageIntakeStore
  /** The first half-hour that is kept. */
  readonly oldestKept: () => number
  readonly log: Pick<Log, 'info' | 'warn'>
  /** Unix milliseconds. */
  readonly now: () => number
  /** How many accounts a node can make known in a day. */
  readonly newAccountsPerDay?: number
}

export function createUsageIntake(options: UsageIntakeOptions): UsageIntake {
  const { store, oldestKept, log, now, newAccountsPerDay } = options
  const limit = concurrencyLimit(messagesAtOnce)
  return {
    async accept(nodeId, message) {
      const halfHour = message.half_hour / halfHourSeconds
      if (halfHour * halfHourMs > now() + halfHourAheadSeconds * 1000)
        throw new RoostError(
          'invalid',
          `The half-hour of ${timeText(halfHour)} has not begun yet. Synchronize the clock of this node, preferably with NTP.`,
        )
      if (halfHour < oldestKept()) {
        log.info(
          { nodeId, halfHour: timeText(halfHour) },
          'dropped a usage report that is older than the retention period',
        )
        return
      }
      const reporter = await store.findReporter(nodeId)
      if (reporter === undefined) throw removed()
      const { usage, refusal } = permittedUsage(message, reporter)
      const isLate = now() >= (halfHour + 1) * halfHourMs + openForMs
      const write = async (part: readonly Row[]) => {
        if (part.length === 0) return
        const newAccounts = newAccountLimit(now(), newAccountsPerDay)
        const isKnown = await limit(() => store.merge({ nodeId, halfHour, isLate, ...partOf(part) }, newAccounts))
        if (!isKnown) throw removed()
      }
      await writeWithoutPoison(rowsOf(usage), write, (row, err) =>
        log.warn({ err, nodeId, row }, 'dropped usage of a node, because the database refused it'),
      )
      if (refusal !== undefined) throw new RoostError('forbidden', refusal)
    },
  }
}

function removed(): RoostError {
  return new RoostError('not_found', 'This node was removed.')
}

/** A message in pieces that can be stored one by one. */
interface Row {
  readonly storage?: StorageUsage
  readonly transfer?: TransferUsage
  readonly logRead?: number
}

function rowsOf({
  storage,
  transfer,
  log_read: logRead,
}: Pick<UsageMessage, 'storage' | 'transfer' | 'log_read'>): readonly Row[] {
  return [
    ...storage.map((row) => ({ storage: row })),
    ...transfer.map((row) => ({ transfer: row })),
    ...(logRead === null ? [] : [{ logRead }]),
  ]
}

function partOf(rows: readonly Row[]) {
  return {
    storage: rows.flatMap(({ storage }) => storage ?? []),
    transfer: rows.flatMap(({ transfer }) => transfer ?? []),
    logRead: rows.find(({ logRead }) => logRead !== undefined)?.logRead ?? null,
  }
}
