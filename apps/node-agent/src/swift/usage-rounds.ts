import { halfHourSeconds, maxUsageRows, storageSlots, type UsageMessage } from '@roost/api-types/agent'
import { type Clock, type Log, Periodic } from '@roost/runtime'
import type { AccountSample, AccountUsage } from './accounts/account-usage.js'
import type { ToldHalfHour } from './access-log/transfer-sums.js'
import type { TransferUsage } from './access-log/transfer-usage.js'

export interface UsageSources {
  readonly accounts: AccountUsage
  /** Null on a node without a proxy's log. */
  readonly transfer: Pick<TransferUsage, 'read' | 'takeChanged' | 'close'> | null
  readonly storageIntervalMs: number
  readonly transferIntervalMs: number
}

/** Keeps a message until the control plane has it; one of the same kind that still waits is replaced. */
type Keep = (kind: string, build: (sequence: number) => UsageMessage) => Promise<void>

export interface UsageRoundsOptions extends UsageSources {
  readonly keep: Keep
  /** How much waits for the control plane. */
  readonly waitingBytes: () => number
  readonly clock: Clock
  readonly random: () => number
  readonly log: Log
}

export interface UsageRounds {
  stop(): Promise<void>
}

const slotSeconds = halfHourSeconds / storageSlots
const logEveryMs = 10_000
/** While the control plane is away, samples beyond this are given up: transfer, which cannot be asked again, goes on. */
const mostWaitingBytes = 256 << 20
/** Devices are known once the first inventory was read. */
const firstSampleMs = 5_000

/** Samples accounts and reads the proxy's log, each on its period, and reports what half-hours they make. */
export function startUsageRounds(options: UsageRoundsOptions): UsageRounds {
  const rounds = [samplingRound(options), ...transferRounds(options)]
  return {
    async stop() {
      options.accounts.close()
      await Promise.all(rounds.map((round) => round.stop()))
      await options.transfer?.close().catch((error: unknown) => {
        options.log.error('What was counted of the access log since the last minute is lost.', { error })
      })
    },
  }
}

/**
 * Samples come at one place of each slot of the clock, another place on every node: each slot has its sample, and not all nodes
 * read their disks at once.
 */
function samplingRound(options: UsageRoundsOptions): { stop(): Promise<void> } {
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
      return faults.tell('The control plane has been away for so long that storage is not sampled any more.')
    const time = clock.now() / 1_000
    const sample = await accounts.sample()
    if (sample === null) return
    faults.tell(...sample.faults)
    await tellStorage(sample, time, options.keep)
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
    onError: (error) => log.error('The accounts could not be sampled.', { error }),
  })
  return round
}

async function tellStorage({ rows }: AccountSample, time: number, keep: Keep): Promise<void> {
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
  let toldAtMs = -Infinity
  const read = new Periodic({
    clock,
    intervalMs: () => Math.min(logEveryMs, transferIntervalMs),
    work: async () => {
      await transfer.read().then(
        () => faults.tell(),
        (error: Error) => faults.tell(`The proxy's access log cannot be read: ${error.message}`),
      )
      if (clock.monotonic() - toldAtMs < transferIntervalMs) return
      toldAtMs = clock.monotonic()
      for (const told of transfer.takeChanged()) await tellTransfer(told, keep)
    },
    onError: (error) => log.error('What the proxy moved could not be kept.', { error }),
  })
  return [read]
}

/** Parts keep their places as accounts come, so that each replaces an older one of its own. */
async function tellTransfer({ from, transfer, share }: ToldHalfHour, keep: Keep): Promise<void> {
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

/** Tells faults when they come, and not with each round. */
class FaultLog {
  readonly #log: Log
  #told = ''

  constructor(log: Log) {
    this.#log = log
  }

  tell(...faults: readonly string[]): void {
    const text = faults.slice(0, 3).join(' ')
    if (text !== '' && text !== this.#told)
      this.#log.warn(faults.length > 3 ? `${text} There are ${faults.length} such faults.` : text)
    this.#told = text
  }
}
