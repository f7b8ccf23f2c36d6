import type { Caller, IdempotencyTicket } from '@roost/api-types/rpc'
import type { Database } from './database.js'
import type { Transaction } from './transaction.js'

export interface IdempotencyStore {
  /** The answer that is kept; undefined when there is none, or it is older than it is to be. */
  find(
    operatorId: number,
    path: string,
    key: string,
  ): Promise<{ readonly bodyMac: Uint8Array; readonly answer: unknown } | undefined>
  /** False while another transaction has the key, and when one has kept an answer under it. */
  claim(tx: Transaction, caller: Caller, ticket: IdempotencyTicket): Promise<boolean>
  insert(tx: Transaction, caller: Caller, ticket: IdempotencyTicket, answer: object): Promise<void>
}

/** What the API promises. */
const dayMs = 24 * 3_600_000

/** `now`: Unix milliseconds. */
export function createIdempotencyStore({ prisma }: Database, now: () => number, keptMs = dayMs): IdempotencyStore {
  const oldest = () => new Date(now() - keptMs)
  return {
    async find(operatorId, path, key) {
      const where = { operatorId_path_key: { operatorId, path, key }, createdAt: { gt: oldest() } }
      const row = await prisma.idempotencyKey.findUnique({ where })
      return row === null ? undefined : { bodyMac: row.bodyMac, answer: row.response }
    },
    async claim(tx, { operatorId }, { path, key }) {
      // Held until the transaction ends, however it ends: a crash leaves nothing that looks as if it still ran.
      const name = `${operatorId} ${path} ${key}`
      const [lock] = await tx.$queryRaw<{ mine: boolean }[]>`
        select pg_try_advisory_xact_lock(hashtextextended(${name}, 0)) as mine`
      if (lock?.mine !== true) return false
      // Its own old answer alone: other keys' rows go by `jobs/retention.ts`, for which no write waits.
      await tx.idempotencyKey.deleteMany({ where: { operatorId, path, key, createdAt: { lte: oldest() } } })
      return (await tx.idempotencyKey.count({ where: { operatorId, path, key } })) === 0
    },
    async insert(tx, { operatorId }, { path, key, bodyMac, secrets }, answer) {
      const kept = Object.fromEntries(Object.entries(answer).filter(([field]) => !secrets.includes(field)))
      await tx.idempotencyKey.create({
        data: { operatorId, path, key, bodyMac, response: kept, createdAt: new Date(now()) },
      })
    },
  }
}
