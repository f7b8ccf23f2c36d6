import { resourceUri, RoostError, shareChangeSchema } from '@roost/api-types/rest'
import { differences } from '../database/writes.js'
import type { AuditRecord, Transaction } from '../database/transaction.js'
import { parseFields } from '../services/field-errors.js'
import { placeChanged } from './placement.js'
import { changedSettings } from './settings.js'
import type { ShareStore } from './store.js'

/** Makes fields of a node's share what the node has; they are held to the same rules as those of a client. */
export function createShareAdoption(store: ShareStore) {
  return async (tx: Transaction, nodeId: number, id: number, fields: object): Promise<AuditRecord['changes']> => {
    const before = await store.findForUpdate(tx, id)
    if (before?.node !== resourceUri('nodes', nodeId))
      throw new RoostError('conflict', `Share ${id} is not on this node any more: use reapply, or deploy anew.`)
    const change = parseFields(shareChangeSchema(before.protocol, fields), fields)
    const settings = changedSettings(before, change)
    const place = await placeChanged(store, tx, before, change, settings)
    const after = await store.update(tx, id, settings, place, undefined)
    return differences({ ...before, revision: undefined }, { ...after, revision: undefined })
  }
}
