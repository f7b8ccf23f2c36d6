import { advisoryLockSpaces } from '@roost/database'
import type { Prisma } from '@roost/database'

/**
 * Call it in a transaction before it inserts into a table that is listed: the ids of that table then become visible in
 * order, and a client that follows the pages misses no row that was committed late.
 */
export async function lockInserts(tx: Prisma.TransactionClient, table: string): Promise<void> {
  await tx.$executeRaw`select pg_advisory_xact_lock(${advisoryLockSpaces.inserts}::int, hashtext(${table}))`
}
