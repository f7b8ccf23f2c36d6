import { RoostError } from '@roost/api-types/rest'
import type { Clock } from '@roost/runtime'

const waitMs = 30_000
const retryAfterSeconds = 15
const late = 'The gateway has not answered yet, it may run a deployment. Try again later.'

/** Rejects where there is no answer in time. The answer is for those who ask again. */
export function within<T>(clock: Pick<Clock, 'after'>, answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const cancel = clock.after(waitMs, () => reject(unavailable(late)))
    answer.finally(cancel).then(resolve, reject)
  })
}

/** Returns the answer of a gateway. Throws `unavailable` with the reason where there is none. */
export function orUnavailable<T extends object>(answer: T | { readonly error: string }): T {
  if ('error' in answer) throw unavailable(answer.error)
  return answer
}

function unavailable(message: string): RoostError {
  return new RoostError('unavailable', message, { retryAfterSeconds })
}
