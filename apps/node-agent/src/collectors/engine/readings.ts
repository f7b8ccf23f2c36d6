import type { Reading, Readings } from './reading.js'
import type { Clock } from '@roost/runtime'
import type { Machine } from '../../machine/machine.js'
import { Catalogue } from './catalogue.js'
import type { Collector, CollectorHost } from './collector.js'
import { Family } from './family.js'
import { readMemory } from './read-memory.js'
import type { SlowReader } from './slow-reader.js'

export interface ReadingsOptions {
  readonly collectors: readonly Collector[]
  readonly host: Omit<CollectorHost, 'readSlowly'>
  /** Called once for each collector. */
  readonly openSlowReader: () => SlowReader
  readonly clock: Clock
  /** Called once when a collector begins to fail, or fails in another way. */
  readonly onFault?: (collector: string, error: unknown) => void
}

/** Rates need two rounds: the first reading runs two of them, so far apart. */
const firstPauseMs = 1_000
/** A reading waits so long for collectors that ask other processes; later answers are part of the next reading. */
const graceMs = 250

/** Asks every collector that is due. A collector that is slow, fails or hangs does not affect the others. */
export function createReadings(options: ReadingsOptions): Readings {
  const { collectors, host, openSlowReader, clock, onFault = () => {} } = options
  const families = collectors.map((collector) => new Family(collector, openSlowReader()))
  const catalogue = new Catalogue(families)
  let lastAt: number | undefined
  let endPause: (() => void) | undefined

  async function run(family: Family, at: number, round: ReadingsOptions['host']): Promise<void> {
    const error = await family.run(round, at, clock)
    if (error !== undefined) onFault(family.collector.name, error)
  }

  async function readRound(): Promise<Reading> {
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
        await readRound()
        await new Promise<void>((resolve) => {
          const cancel = clock.after(firstPauseMs, resolve)
          endPause = () => {
            cancel()
            resolve()
          }
        })
      }
      return readRound()
    },
    async close() {
      endPause?.()
      for (const family of families) family.close()
    },
  }
}

/** Reads each file once in a round, for all collectors. Refuses files that may block. */
function readOnce(machine: CollectorHost['machine']): CollectorHost['machine'] {
  const texts = new Map<string, string | undefined>()
  const read: Machine['read'] = (path) => {
    if (!texts.has(path)) texts.set(path, readMemory(machine, path))
    return texts.get(path)
  }
  return { read, list: (path) => machine.list(path), modifiedAt: (path) => machine.modifiedAt(path) }
}

async function settledWithin(ms: number, runs: readonly Promise<void>[], clock: Clock): Promise<void> {
  let cancel: (() => void) | undefined
  const grace = new Promise<void>((resolve) => {
    cancel = clock.after(ms, resolve)
  })
  await Promise.race([Promise.allSettled(runs), grace])
  cancel?.()
}
