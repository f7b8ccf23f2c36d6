export const dayMs = 86_400_000

/** Returns the day of an instant in Unix milliseconds: days since 1970-01-01, UTC. */
export function dayOf(ms: number): number {
  return Math.floor(ms / dayMs)
}

/** Returns a day as `2026-11-22`. */
export function dateOf(day: number): string {
  return new Date(day * dayMs).toISOString().slice(0, 10)
}
