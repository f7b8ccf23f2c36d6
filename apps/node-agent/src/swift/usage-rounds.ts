import { halfHourSeconds, maxUsageRows, storageSlots, type UsageMessage } from '@roost/api-types/agent'
import { type Clock, type Log, Periodic, type Stoppable } from '@roost/runtime'
import type { AccountSample, AccountUsage } from './accounts/account-usage.js'
import type { ReportedHalfHour } from './access-log/transfer-sums.js'
import type { TransferUsage } from './access-log/transfer-usage.js'

export interface UsageSources {
  readonly accounts: AccountUsage
  /** Null on a node without a proxy's log. */
  readonly transfer: Pick<TransferUsage, 'read' | 'collectChanged' | 'close'> | null
  readonly storageIntervalMs: number
  readonly transferIntervalMs: number
}

/** Keeps a message until the control plane has it. It replaces a waiting message of the same kind. */
type Keep = (kind: string, build: (sequence: number) => UsageMessage) => Promise<void>

export interface UsageRoundsOptions extends UsageSources {
  readonly keep: Keep
  /** Returns the size of the messages that wait for the control plane. */
  readonly waitingBytes: () => number
  readonly clock: Clock
  readonly random: () => number
  readonly log: Log
}

const slotSeconds = halfHourSeconds / storageSlots
const logEveryMs = 10_000
/** While the control plane is unavailable, sampling stops at this size. Transfer continues: it cannot be read later. */
const mostWaitingBytes = 256 << 20
/** Devices are known after the first inventory. */
const firstSampleMs = 5_000

/** Samples accounts and reads the proxy's log, each at its own interval, and reports the half-hours. */
export function startUsageRounds(options: UsageRoundsOptions): Stoppable {
  const rounds = [samplingRound(options), ...transferRounds(options)]
  return {
    async stop() {
      options.accounts.close()
      await Promise.all(rounds.map((round) => round.stop()))
      await options.transfer?.close().catch((error: unknown) => {
        options.log.error('could not save the totals of the access log: up to one minute of transfer is lost', {
          error,
        })
      })
    },
  }
}

/**
 * Samples once in each slot of the clock, at the same offset in each slot. Each node has another offset, so that not all nodes
 * read their disks at the same time.
 */
function samplingRound(options: UsageRoundsOptions): Stoppable {
  const { accounts, clock, storageIntervalMs, random, waitingBytes, log } = options
  const offsetMs = storageIntervalMs * (0.1 + 0.8 * random())
  const faults = new FaultLog(log)
  const toNextMs = () => {
    const since = (((clock.now() - offsetMs) % storageIntervalMs) + storageIntervalMs) % storageIntervalMs
    return storageIntervalMs - since
  }
  const sample = async (): Promise<void> => {
    round.kick(toNextMs())
    if (waitingBytes() > mostWaitingBytes)
      return faults.report(
        'the control plane has been unavailable for too long: storage is not sampled until it returns',
      )
    const time = clock.now() / 1_000
    const sample = await accounts.sample()
    if (sample === null) return
    faults.report(...sample.faults)
    await keepStorage(sample, time, options.keep)
  }
  let first = true
  const round = new Periodic({
    clock,
    intervalMs: () => 2 * storageIntervalMs,
    work: async () => {
      if (!first) return sample()
      first = false
      round.kick(Math.min(firstSampleMs, storageIntervalMs))
    },
    onError: (error) => log.error('could not sample the accounts', { error }),
  })
  return round
}

async function keepStorage({ rows }: AccountSample, time: number, keep: Keep): Promise<void> {
  const half_hour = Math.floor(time / halfHourSeconds) * halfHourSeconds
  const slot = Math.floor((time - half_hour) / slotSeconds)
  const storage = rows.map(({ account, policy, containers, objects, bytes }) => ({
    account,
    policy,
    bytes_used: bytes,
    container_count: containers,
    object_count: objects,
    slots: 1 << slot,
  }))
  for (const [i, part] of partsOf(storage).entries())
    await keep(`usage_storage_${half_hour}_${slot}_${i}`, (sequence) => ({
      type: 'usage',
      sequence,
      half_hour,
      storage: part,
      transfer: [],
      log_read: null,
    }))
}

function transferRounds({ transfer, clock, transferIntervalMs, keep, log }: UsageRoundsOptions) {
  if (transfer === null) return []
  const faults = new FaultLog(log)
  let reportedAtMs = -Infinity
  const read = new Periodic({
    clock,
    intervalMs: () => Math.min(logEveryMs, transferIntervalMs),
    work: async () => {
      await transfer.read().then(
        () => faults.report(),
        (error: Error) => faults.report(`could not read the access log of the proxy: ${error.message}`),
      )
      if (clock.monotonic() - reportedAtMs < transferIntervalMs) return
      reportedAtMs = clock.monotonic()
      for (const halfHour of transfer.collectChanged()) await keepTransfer(halfHour, keep)
    },
    onError: (error) => log.error('could not save the transfer of the proxy', { error }),
  })
  return [read]
}

/** Parts keep their accounts when more are added, so that each part replaces its older message. */
async function keepTransfer({ from, transfer, share }: ReportedHalfHour, keep: Keep): Promise<void> {
  const parts = transfer.length === 0 ? [[]] : partsOf(transfer)
  for (const [i, part] of parts.entries())
    await keep(`usage_transfer_${from}_${i}`, (sequence) => ({
      type: 'usage',
      sequence,
      half_hour: from,
      storage: [],
      transfer: part,
      log_read: share,
    }))
}

function partsOf<T>(rows: readonly T[]): T[][] {
  const count = Math.ceil(rows.length / maxUsageRows)
  return Array.from({ length: count }, (_, i) => rows.slice(i * maxUsageRows, (i + 1) * maxUsageRows))
}

/** Logs faults when they change, not in each round. */
class FaultLog {
  readonly #log: Log
  #reported = ''

  constructor(log: Log) {
    this.#log = log
  }

  report(...faults: readonly string[]): void {
    const text = faults.slice(0, 3).join(' ')
    if (text !== '' && text !== this.#reported)
      this.#log.warn(faults.length > 3 ? `${text} (${faults.length} errors)` : text)
    this.#reported = text
  }
}
