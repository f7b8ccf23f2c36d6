import { writeWithoutPoison } from '../database/write-without-poison.js'
import type { CapacityStore, DeviceUsage } from './store.js'

/** Writes the usage of devices to the database in batches, off the stream's path. */
export interface UsageWriter {
  /** Later usage of a device replaces what still waits, so that at most one row a device waits. */
  add(usages: readonly DeviceUsage[]): void
  /** Writes what waits. What could not be written waits for the next time. Never rejects. */
  flush(): Promise<void>
  /** Writes what waits if a device among it has a new status. */
  flushNewStatus(): Promise<void>
}

/** `failed` is called at the first failure in a row, and `recovered` at the end of it. */
export interface UsageWriterOptions {
  readonly failed: (error: unknown) => void
  readonly recovered: () => void
  /** The database refuses the usage of this device. */
  readonly dropped: (usage: DeviceUsage, error: unknown) => void
  /** Returns the usage as it is now: what waits may be older. */
  readonly newest: (usage: DeviceUsage) => DeviceUsage
}

const batchRows = 10_000

export function createUsageWriter(
  store: Pick<CapacityStore, 'updateUsage'>,
  { failed, recovered, dropped, newest }: UsageWriterOptions,
): UsageWriter {
  const waiting = new Map<number, DeviceUsage>()
  let running: Promise<void> | undefined
  let failing = false

  const writeAll = async () => {
    while (waiting.size > 0) {
      const batch = [...waiting.values()].slice(0, batchRows)
      await writeWithoutPoison(batch.map(newest), (part) => store.updateUsage(part), dropped)
      for (const usage of batch) if (waiting.get(usage.id) === usage) waiting.delete(usage.id)
    }
  }
  const attempt = async () => {
    try {
      await writeAll()
      if (failing) recovered()
      failing = false
    } catch (error) {
      if (!failing) failed(error)
      failing = true
    } finally {
      running = undefined
    }
  }
  const flush = () => {
    running ??= attempt()
    return running
  }
  return {
    add(usages) {
      for (const usage of usages) {
        const isStatusNew = usage.isStatusNew || waiting.get(usage.id)?.isStatusNew === true
        waiting.set(usage.id, { ...usage, isStatusNew })
      }
    },
    flush,
    async flushNewStatus() {
      if ([...waiting.values()].some(({ isStatusNew }) => isStatusNew)) await flush()
    },
  }
}
