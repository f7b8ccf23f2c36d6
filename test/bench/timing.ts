import { randomBytes } from 'node:crypto'
import { createAuthentication } from '@roost/control-plane/dist/operators/authentication.js'
import { createAuthenticationStore } from '@roost/control-plane/dist/operators/authentication-store.js'
import { median } from './measure.js'
import { atMost, row } from './report.js'
import type { Row } from './report.js'
import { openStage } from './stage.js'

const tries = 10_000
const guess = () => randomBytes(24).toString('hex')

/** What a guesser could learn from the time of a refusal, without the limit of guesses that HTTP puts before it. */
export async function benchTiming(): Promise<readonly Row[]> {
  const stage = await openStage()
  try {
    const [known = ''] = stage.keys
    const [user = '', key = ''] = known.split(':')
    const store = createAuthenticationStore(stage.database)
    const service = createAuthentication({ store, log: { warn: () => {} }, now: Date.now })
    const cases = {
      'unknown user': () => service.authenticate('nobody', guess()),
      'wrong key': () => service.authenticate(user, guess()),
      'right prefix': () => service.authenticate(user, key.slice(0, -2) + guess().slice(0, 2)),
    }
    const times = new Map(Object.keys(cases).map((name) => [name, [] as number[]]))
    for (let i = 0; i < tries; i++) {
      for (const [name, refuse] of Object.entries(cases)) {
        const start = performance.now()
        await refuse()
        times.get(name)?.push(performance.now() - start)
      }
    }
    const medians = [...times.values()].map(median)
    const spread = (Math.max(...medians) / Math.min(...medians) - 1) * 100
    const rows = [...times].map(([name, list]) => row(name, median(list), 'ms', null))
    return [...rows, row('difference of the medians', spread, '%', atMost(2))]
  } finally {
    await stage.close()
  }
}
