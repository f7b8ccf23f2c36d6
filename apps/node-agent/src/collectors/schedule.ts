import type { Collection, Reading } from './collection.js'
import { createRounds } from './rounds.js'
import type { RoundsOptions } from './rounds.js'

/** Rates need two looks at the machine: the first reading comes this long after the first look. */
const firstReadingMs = 1_000

/** One timer for all collectors, so that the process wakes up once an interval. */
export function createCollection(options: RoundsOptions): Collection {
  const { monotonic = () => performance.now(), onFault = () => {} } = options
  const read = createRounds(options)
  let intervalMs = firstReadingMs
  let listener: ((reading: Reading) => void) | undefined
  let timer: NodeJS.Timeout | undefined
  let nextAt = 0

  function arm(): void {
    // After a pause of the whole machine the missed readings are not made up for.
    if (nextAt <= monotonic()) nextAt = monotonic() + intervalMs
    timer = setTimeout(() => void tick(), nextAt - monotonic())
  }

  async function tick(): Promise<void> {
    timer = undefined
    try {
      const reading = await read(intervalMs)
      listener?.(reading)
    } catch (error) {
      onFault('reading', error)
    } finally {
      nextAt += intervalMs
      if (listener) arm()
    }
  }

  return {
    read: async () => read(intervalMs),
    start(everyMs, onReading) {
      intervalMs = everyMs
      listener = onReading
      nextAt = monotonic() + Math.min(firstReadingMs, everyMs)
      void read(everyMs)
      arm()
    },
    setInterval(everyMs) {
      const change = everyMs - intervalMs
      intervalMs = everyMs
      if (timer === undefined) return // a tick is under way and arms the timer anew
      nextAt += change
      clearTimeout(timer)
      arm()
    },
    stop() {
      listener = undefined
      clearTimeout(timer)
      timer = undefined
    },
  }
}
