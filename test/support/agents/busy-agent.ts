import { createLog, systemClock } from '@roost/runtime'
import { startTestAgent } from './test-agent.js'

/**
 * The agent's loop in a process that a test may kill: `node busy-agent.js STATE_DIRECTORY`. Its machine changes all the
 * time, its day lasts a quarter of an hour, and it writes its warnings.
 */
const [, , dataDir = ''] = process.argv
const speed = 100
const startedAt = systemClock.monotonic()
const clock = {
  now: () => systemClock.now(),
  monotonic: () => (systemClock.monotonic() - startedAt) * speed,
  after: (ms: number, callback: () => void) => systemClock.after(ms / speed, callback),
}
const log = createLog({ format: 'json', level: 'warn', write: (line) => process.stdout.write(line) })
const { change } = await startTestAgent({ dataDir, clock, log })
let number = 0
setInterval(() => change(`${process.pid}-${(number += 1)}`), 5)
