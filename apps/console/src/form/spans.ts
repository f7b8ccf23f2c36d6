import { duration } from '../format/time.js'

const hour = 3_600
const day = 86_400
/** For how long alerts can be silent; the server allows 30 days. */
const spans = [hour, 2 * hour, 4 * hour, 12 * hour, day, 3 * day, 7 * day, 14 * day]

/** Returns the choices of a duration, in seconds. */
export function spanOptions(): readonly (readonly [seconds: string, text: string])[] {
  return spans.map((seconds) => [String(seconds), duration(seconds)])
}

/** Returns the time that is so many seconds away, for the API. */
export function timeIn(seconds: string, now: number): string {
  return new Date(now + Number(seconds) * 1000).toISOString()
}
