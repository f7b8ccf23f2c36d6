import type { DesiredShare } from '@roost/api-types/agent'
import { pickShareOptions } from '@roost/api-types/rest'
import type { ShareProtocol } from '@roost/api-types/rest'
import type { Transaction } from '../database/transaction.js'
import type { Secrets } from '../secrets/secrets.js'

/** The enabled shares of a node as its gateway needs them, by id. Read in the caller's transaction. */
export function createDesiredShares(secrets: Secrets): (tx: Transaction, nodeId: number) => Promise<DesiredShare[]> {
  return async (tx, nodeId) => {
    const rows = await tx.gatewayShare.findMany({ where: { nodeId, enabled: true }, orderBy: { id: 'asc' } })
    return rows.map((row) => {
      const protocol = row.protocol as ShareProtocol
      const password = row.password === null ? null : secrets.open('share-password', row.password)
      return {
        id: row.id,
        name: row.name,
        access_mode: row.accessMode,
        objectstore_container: row.container,
        upload_delay: row.uploadDelay,
        write_retain: row.writeRetain,
        no_apple_doubles: row.noAppleDoubles,
        clients_allowed_list: row.clientsAllowedList,
        export_number: row.exportNumber,
        // Left out where it is not set: what agents of 0.1.0 were sent is then not different from what they have.
        ...(row.cacheSizeMb === null ? {} : { cache_size_mb: row.cacheSizeMb }),
        protocol,
        ...pickShareOptions(protocol, row.options),
        ...(protocol === 'cifs' ? { password } : {}),
      } as DesiredShare
    })
  }
}
