import type { Machine } from '../host/machine.js'
import { CatalogueKeeper } from './catalogue.js'
import type { Reading } from './collection.js'
import type { Collector, CollectorHost } from './collector.js'
import { Family } from './family.js'

export interface RoundsOptions {
  readonly collectors: readonly Collector[]
  readonly host: CollectorHost
  /** Told once when a collector begins to fail, or fails in another way. */
  readonly onFault?: (collector: string, error: unknown) => void
  /** A clock that never jumps, in milliseconds. */
  readonly monotonic?: () => number
  readonly now?: () => number
}

/** How long a reading waits for collectors that ask other processes; later answers are part of the next reading. */
const graceMs = 250

/** Reads what is due when readings are reported every `intervalMs`, and puts it together with the rest. Never rejects. */
export type ReadRound = (intervalMs: number) => Promise<Reading>

export function createRounds(options: RoundsOptions): ReadRound {
  const { collectors, host, onFault = () => {}, monotonic = () => performance.now(), now = Date.now } = options
  const families = collectors.map((collector) => new Family(collector))
  const keeper = new CatalogueKeeper(families)

  async function run(family: Family, at: number, round: CollectorHost): Promise<void> {
    const error = await family.run(round, at, monotonic)
    if (error !== undefined) onFault(family.collector.name, error)
  }

  return async (intervalMs) => {
    const at = monotonic()
    const time = now() / 1_000
    const round = { ...host, machine: readOnce(host.machine) }
    const due = families.filter((family) => family.isDue(at, intervalMs))
    await settledWithin(
      due.map((family) => run(family, at, round)),
      graceMs,
    )
    return { time, ...keeper.compose(monotonic(), intervalMs) }
  }
}

/** Gives every collector of a round the same text of a file, read once. */
function readOnce(machine: CollectorHost['machine']): CollectorHost['machine'] {
  const texts = new Map<string, string | undefined>()
  const read: Machine['read'] = (path) => {
    if (!texts.has(path)) texts.set(path, machine.read(path))
    return texts.get(path)
  }
  return { read, list: (path) => machine.list(path) }
}

async function settledWithin(runs: readonly Promise<void>[], ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms)
  })
  await Promise.race([Promise.allSettled(runs), patience])
  clearTimeout(timer)
}
