import { isDeepStrictEqual } from 'node:util'
import type { Severity } from '@roost/api-types/checks'
import type { Transaction } from '../database/transaction.js'
import { silenceAlert } from './silence-decide.js'
import type { Marks, SilenceableAlert } from './silence-decide.js'

/** What makes alerts silent, and audible again. */
export interface SilenceEffect {
  /** Decides of every alert that is not resolved whether it is silent now, and ends maintenance that is over. */
  refresh(at: Date, tx: Transaction): Promise<void>
}

export function createSilenceEffect(): SilenceEffect {
  return { refresh: (at, tx) => refresh(tx, at) }
}

async function refresh(tx: Transaction, at: Date): Promise<void> {
  await tx.node.updateMany({ where: { maintenanceUntil: { lte: at } }, data: { maintenanceUntil: null } })
  const active = { startsAt: { lte: at }, endsAt: { gt: at } }
  const silences = (await tx.alertSilence.findMany({ where: active })).map(({ startsAt, endsAt, ...silence }) => ({
    ...silence,
    startsMs: startsAt.getTime(),
    endsMs: endsAt.getTime(),
  }))
  const open = await tx.alert.findMany({
    where: { openKey: { not: null } },
    include: { node: { select: { maintenanceUntil: true } } },
    orderBy: { id: 'asc' },
  })
  const rows = open.flatMap(({ id, silencedUntil, silenceMarks, severity, node, ...alert }) => {
    const marks = silenceMarks as unknown as Marks
    const maintenanceUntilMs = node?.maintenanceUntil?.getTime() ?? null
    const silenceable: SilenceableAlert = { ...alert, severity: severity as Severity, marks, maintenanceUntilMs }
    const next = silenceAlert(silenceable, silences, at.getTime())
    if (next.untilMs === (silencedUntil?.getTime() ?? null) && isDeepStrictEqual(next.marks, marks)) return []
    return [{ id, until: next.untilMs === null ? null : new Date(next.untilMs), marks: next.marks }]
  })
  if (rows.length === 0) return
  await tx.$executeRaw`
    update alerts set silenced_until = n.until, silence_marks = n.marks
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as n(id int, until timestamptz, marks jsonb)
    where alerts.id = n.id`
}
