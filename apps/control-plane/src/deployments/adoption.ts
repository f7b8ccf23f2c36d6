import type { AdoptableShare, DesiredState, DriftedItem } from '@roost/api-types/agent'
import { RoostError, shareSettingRows } from '@roost/api-types/rest'
import type { AuditRecord, Transaction } from '../database/transaction.js'

/** Makes fields of a share what its node has. Answers what changed. */
export type AdoptShare = (
  tx: Transaction,
  nodeId: number,
  share: number,
  fields: object,
) => Promise<AuditRecord['changes']>

/** The fields that a server's configuration shows. Nothing else is adopted from a node: neither a share's place nor its password. */
const adoptableFields: ReadonlySet<string> = new Set([
  'name',
  ...shareSettingRows.filter(([, { servers }]) => servers !== 'mount alone').map(([name]) => name),
])

/** The drifted items as fields of shares. Throws when an item maps to no field. */
export function adoptionsOf(items: readonly DriftedItem[]): readonly AdoptableShare[] {
  return items.flatMap(({ subject, adoptable }) => {
    const fields = (adoptable ?? []).flatMap((share) => Object.keys(share.fields))
    if (adoptable !== undefined && fields.every((field) => adoptableFields.has(field))) return adoptable
    throw new RoostError(
      'conflict',
      `The change in ${subject} cannot be stored in the fields of a share. Use reapply, or change the share.`,
    )
  })
}

/** The applied state with those fields, without later changes by operators that were not deployed. */
export function adopted(state: DesiredState, adoptions: readonly AdoptableShare[]): DesiredState {
  if (state.kind !== 'gateway') return state
  const fields = (id: number) => Object.assign({}, ...adoptions.map((one) => (one.id === id ? one.fields : {})))
  return { ...state, shares: state.shares.map((share) => ({ ...share, ...fields(share.id) })) }
}
