import { readConsistently, type SqliteFile, type SqliteRow } from './sqlite-file.js'

/** What an account has in one storage policy. */
export interface AccountFigures {
  readonly account: string
  readonly policy: number
  readonly containers: number
  readonly objects: number
  readonly bytes: number
}

/**
 * Reads the figures of one account from its database, a row for each storage policy. None for an account that was deleted. Undefined
 * while somebody writes to it. Throws where it cannot be read.
 */
export function readAccountDb(path: string): readonly AccountFigures[] | undefined {
  return readConsistently(path, figuresOf)
}

function figuresOf(file: SqliteFile): readonly AccountFigures[] {
  const [stat] = file.rows('account_stat') ?? []
  const account = stat?.get('account')
  if (stat === undefined || typeof account !== 'string' || isDeleted(stat)) return []
  const policies = file.rows('policy_stat')
  // Databases of Swift before storage policies, which it migrates at their next change: all is in policy 0.
  if (policies === undefined) return [{ account, policy: 0, ...amounts(stat) }]
  return Array.from(policies, (row) => ({ account, policy: wholeOf(row, 'storage_policy_index'), ...amounts(row) }))
}

/** As Swift decides it: times are texts of one length. */
function isDeleted(stat: SqliteRow): boolean {
  if (wholeOf(stat, 'container_count') > 0) return false
  const time = (name: string): string => String(stat.get(name) ?? '')
  return stat.get('status') === 'DELETED' || time('delete_timestamp') > time('put_timestamp')
}

function amounts(row: SqliteRow): Pick<AccountFigures, 'containers' | 'objects' | 'bytes'> {
  return {
    containers: wholeOf(row, 'container_count'),
    objects: wholeOf(row, 'object_count'),
    bytes: wholeOf(row, 'bytes_used'),
  }
}

/** A column that an old database lacks is 0; Swift's counts may fall below 0 for a moment. */
function wholeOf(row: SqliteRow, column: string): number {
  const value = row.get(column)
  return typeof value === 'number' ? Math.max(0, Math.trunc(value)) : 0
}
