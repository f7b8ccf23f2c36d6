import type { Prisma } from '@roost/database'

/** The columns by which an alert is muted. */
export const mutingColumns = { acknowledgedAt: true } as const satisfies Prisma.AlertSelect

/** The condition of alerts that are not muted. */
export const notMuted = { acknowledgedAt: null } as const satisfies Prisma.AlertWhereInput

/** Returns whether an alert is not sent while it lasts: an operator knows of it. */
export function isMuted({ acknowledgedAt }: Prisma.AlertGetPayload<{ select: typeof mutingColumns }>): boolean {
  return acknowledgedAt !== null
}
