import type { JobRecord } from '../api/queries/deployments.js'
import { noValue } from '../format/numbers.js'
import { duration } from '../format/time.js'

/** Returns how long a job took, once it has ended. */
export function tookOf({ started, finished }: JobRecord): string {
  if (started === null || finished === null) return noValue
  return duration((Date.parse(finished) - Date.parse(started)) / 1000)
}
