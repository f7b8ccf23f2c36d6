import { resourceUri } from '@roost/api-types/rest'
import type { Rpc } from '../client/api.js'
import { exitCodes } from '../terminal/exit-codes.js'
import type { Described } from './documents.js'
import type { Faults } from './faults.js'
import { clusterId } from './lookups.js'
import { differing, valuesAfter } from './step.js'
import type { Check, Step } from './step.js'

type Fields = Readonly<Record<string, unknown>>
type Write = (rpc: Rpc, change: Fields, check: Check) => Promise<unknown>

/** Returns the step that makes the changes of a record; none without changes. */
export function changeStep(
  record: Pick<Step, 'kind' | 'name'>,
  changes: Step['changes'],
  write: Write,
): readonly Step[] {
  if (Object.keys(changes).length === 0) return []
  const run: Step['run'] = async (rpc, check) => void (await write(rpc, valuesAfter(changes), check))
  return [{ ...record, action: 'change', changes, run }]
}

/** Returns every field that a new record gets from its document. */
export function created(described: Fields): Step['changes'] {
  return differing(described, {})
}

/** The relation of a new record: a cluster that an earlier step may have created, or null for all. */
export async function scopeOf(rpc: Rpc, cluster: string | null): Promise<string | null> {
  return cluster === null ? null : resourceUri('clusters', await clusterId(rpc, cluster))
}

/** The step that a record of this cluster comes after. */
export function needs(cluster: string | null): Pick<Step, 'needs'> {
  return cluster === null ? {} : { needs: `cluster ${cluster}` }
}

/** Kinds of records that belong to sets, and the command for each. */
export const commandOf = {
  user: 'user',
  share: 'share',
  alert_rule: 'alert rule',
  alert_metric_rule: 'alert metric-rule',
  alert_receiver: 'alert receiver',
} as const

/** A record of another set stays with it: two files would undo each other's changes. */
export function requireSet(
  { at, kind, set }: Pick<Described<keyof typeof commandOf>, 'at' | 'kind' | 'set'>,
  record: string,
  present: string | undefined,
  faults: Faults,
): void {
  if (set === undefined || present === undefined || set === present) return
  const hint = `Take it out of that set with "roost ${commandOf[kind]} set … --set null", or remove it from this file.`
  faults.add(`${at}: ${record} belongs to the set '${present}'. ${hint}`, exitCodes.conflict)
}
