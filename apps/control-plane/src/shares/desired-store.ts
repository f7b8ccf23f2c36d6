import type { DesiredShare } from '@roost/api-types/agent'
import type { GatewayShareSettings } from '@roost/api-types/rest'
import type { Transaction } from '../database/transaction.js'
import type { Secrets } from '../secrets/secrets.js'
import { settingsOf } from './row-store.js'

type KeysOfEach<T> = T extends unknown ? keyof T : never
/** A field of the API that no gateway gets: with one, this file does not compile. */
type Unsent = Exclude<KeysOfEach<GatewayShareSettings>, KeysOfEach<DesiredShare> | 'enabled'>

/** Reads the enabled shares of a node as its gateway needs them, by id, in the caller's transaction. */
export function createDesiredShares(secrets: Secrets) {
  return async (tx: Transaction, nodeId: number): Promise<(DesiredShare & Record<Unsent, never>)[]> => {
    const rows = await tx.gatewayShare.findMany({ where: { nodeId, enabled: true }, orderBy: { id: 'asc' } })
    return rows.map((row) => {
      const { enabled: _, ...settings } = settingsOf(row)
      const identity = { id: row.id, export_number: row.exportNumber }
      if (settings.protocol === 'nfs') return { ...identity, ...settings }
      const password = row.password === null ? null : secrets.open('share-password', row.password, `'${row.name}'`)
      return { ...identity, ...settings, password }
    })
  }
}
