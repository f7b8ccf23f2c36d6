import type { Prisma } from '@roost/database'

/** The columns by which an alert is muted. */
export const mutingColumns = { acknowledgedAt: true, silencedUntil: true } as const satisfies Prisma.AlertSelect

/** The condition of alerts that are not muted. */
export const notMuted = { acknowledgedAt: null, silencedUntil: null } as const satisfies Prisma.AlertWhereInput

/** Returns whether an alert is not sent while it lasts: an operator knows of it, or has made it silent. */
export function isMuted(alert: Prisma.AlertGetPayload<{ select: typeof mutingColumns }>): boolean {
  return alert.acknowledgedAt !== null || alert.silencedUntil !== null
}
