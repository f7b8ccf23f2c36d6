import { readConsistently, type SqliteFile, type SqliteRow } from './sqlite-file.js'

/** The usage of an account in one storage policy. */
export interface AccountTotals {
  readonly account: string
  readonly policy: number
  readonly containers: number
  readonly objects: number
  readonly bytes: number
}

/**
 * Reads the usage of one account from its database, a row for each storage policy. A deleted account has no rows. Undefined
 * while another process writes to the database. Throws if it cannot be read.
 */
export function readAccountDb(path: string): readonly AccountTotals[] | undefined {
  return readConsistently(path, totalsOf)
}

function totalsOf(file: SqliteFile): readonly AccountTotals[] {
  const [stat] = file.rows('account_stat') ?? []
  const account = stat?.get('account')
  if (stat === undefined || typeof account !== 'string' || isDeleted(stat)) return []
  const policies = file.rows('policy_stat')
  // Databases of Swift before storage policies are migrated at their next change: everything is in policy 0.
  if (policies === undefined) return [{ account, policy: 0, ...amounts(stat) }]
  return Array.from(policies, (row) => ({ account, policy: countOf(row, 'storage_policy_index'), ...amounts(row) }))
}

/** Follows Swift's rule; times are texts of one length. */
function isDeleted(stat: SqliteRow): boolean {
  if (countOf(stat, 'container_count') > 0) return false
  const time = (name: string): string => String(stat.get(name) ?? '')
  return stat.get('status') === 'DELETED' || time('delete_timestamp') > time('put_timestamp')
}

function amounts(row: SqliteRow): Pick<AccountTotals, 'containers' | 'objects' | 'bytes'> {
  return {
    containers: countOf(row, 'container_count'),
    objects: countOf(row, 'object_count'),
    bytes: countOf(row, 'bytes_used'),
  }
}

/** Returns 0 for a column that an old database does not have; Swift's counts may be below 0 for a moment. */
function countOf(row: SqliteRow, column: string): number {
  const value = row.get(column)
  return typeof value === 'number' ? Math.max(0, Math.trunc(value)) : 0
}
