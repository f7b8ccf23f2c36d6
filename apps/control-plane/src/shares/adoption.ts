import { resourceUri, RoostError, shareChangeSchema } from '@roost/api-types/rest'
import { differences } from '../database/writes.js'
import type { AuditRecord, Transaction } from '../database/transaction.js'
import { parseFields } from '../services/field-errors.js'
import { locateChanged } from './location.js'
import { changedSettings } from './settings.js'
import type { ShareStore } from './store.js'

/** Sets fields of a share to what its node has, by the same rules as for a client. */
export function createShareAdoption(store: ShareStore) {
  return async (tx: Transaction, nodeId: number, id: number, fields: object): Promise<AuditRecord['changes']> => {
    const before = await store.findForUpdate(tx, id)
    if (before?.node !== resourceUri('nodes', nodeId))
      throw new RoostError('conflict', `Share ${id} is not on this node any more. Use reapply, or deploy again.`)
    const change = parseFields(shareChangeSchema(before.protocol, fields), fields)
    const settings = changedSettings(before, change)
    const location = await locateChanged(store, tx, before, change, settings)
    const after = await store.update(tx, id, settings, location, {})
    return differences({ ...before, revision: undefined }, { ...after, revision: undefined })
  }
}
