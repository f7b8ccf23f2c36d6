import { advisoryLocks } from '@roost/database'
import type { Database } from '../database/database.js'

export interface FirstStartStore {
  /**
   * Where there is no operator yet: makes the operator `admin` with the key whose digest `prepare` yields, and the
   * cluster `default`. Of several control planes that start together one does it.
   */
  insertFirst(prepare: () => Promise<Uint8Array<ArrayBuffer>>): Promise<boolean>
}

export function createFirstStartStore({ prisma }: Database): FirstStartStore {
  return {
    insertFirst: (prepare) =>
      prisma.$transaction(async (tx) => {
        await tx.$executeRaw`select pg_advisory_xact_lock(${advisoryLocks.firstStart}::bigint)`
        if ((await tx.operator.count()) > 0) return false
        const digest = await prepare()
        await tx.operator.create({ data: { name: 'admin', role: 'admin', keys: { create: { digest } } } })
        if ((await tx.cluster.count()) === 0) await tx.cluster.create({ data: { name: 'default' } })
        return true
      }),
  }
}
