import type { Reading, Readings } from './reading.js'
import type { Clock } from '@roost/runtime'
import type { Machine } from '../../machine/machine.js'
import { Catalogue } from './catalogue.js'
import type { Collector, CollectorHost } from './collector.js'
import { Family } from './family.js'

export interface ReadingsOptions {
  readonly collectors: readonly Collector[]
  readonly host: CollectorHost
  readonly clock: Clock
  /** Told once when a collector begins to fail, or fails in another way. */
  readonly onFault?: (collector: string, error: unknown) => void
}

/** Rates need two looks at the machine: the first reading looks twice, so long apart. */
const firstLookMs = 1_000
/** How long a reading waits for collectors that ask other processes; later answers are part of the next reading. */
const graceMs = 250

/** Asks every collector that is due. One that is slow, fails or hangs costs the others nothing. */
export function createReadings({ collectors, host, clock, onFault = () => {} }: ReadingsOptions): Readings {
  const families = collectors.map((collector) => new Family(collector))
  const catalogue = new Catalogue(families)
  let lastAt: number | undefined
  let endPause: (() => void) | undefined

  async function run(family: Family, at: number, round: CollectorHost): Promise<void> {
    const error = await family.run(round, at, clock)
    if (error !== undefined) onFault(family.collector.name, error)
  }

  async function look(): Promise<Reading> {
    const at = clock.monotonic()
    const time = clock.now() / 1_000
    const intervalMs = at - (lastAt ?? at)
    lastAt = at
    const round = { ...host, machine: readOnce(host.machine) }
    const due = families.filter((family) => family.isDue(at, intervalMs))
    await settledWithin(
      graceMs,
      due.map((family) => run(family, at, round)),
      clock,
    )
    return { time, ...catalogue.compose(clock.monotonic(), intervalMs) }
  }

  return {
    async read() {
      if (lastAt === undefined) {
        await look()
        await new Promise<void>((resolve) => {
          const cancel = clock.after(firstLookMs, resolve)
          endPause = () => {
            cancel()
            resolve()
          }
        })
      }
      return look()
    },
    close: async () => endPause?.(),
  }
}

/** Gives every collector of a round the same text of a file, read once. */
function readOnce(machine: CollectorHost['machine']): CollectorHost['machine'] {
  const texts = new Map<string, string | undefined>()
  const read: Machine['read'] = (path) => {
    if (!texts.has(path)) texts.set(path, machine.read(path))
    return texts.get(path)
  }
  return { read, list: (path) => machine.list(path), modifiedAt: (path) => machine.modifiedAt(path) }
}

async function settledWithin(ms: number, runs: readonly Promise<void>[], clock: Clock): Promise<void> {
  let cancel: (() => void) | undefined
  const patience = new Promise<void>((resolve) => {
    cancel = clock.after(ms, resolve)
  })
  await Promise.race([Promise.allSettled(runs), patience])
  cancel?.()
}
