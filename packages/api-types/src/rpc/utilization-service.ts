import type {
  AccountStorageUtilization,
  AccountTransferUtilization,
  StorageUtilization,
  TransferUtilization,
} from '../rest/index.js'
import type { Page } from './verbs.js'

/** ISO 8601, UTC where no zone is given. `start` counts from its half-hour, `end` (now unless given) to a whole hour after it. */
export interface UsageRange {
  readonly start: string
  readonly end?: string | undefined
}

/** How many rows at most, and how many to skip before the first. */
export interface Slice {
  readonly limit: number
  readonly offset: number
}

/** The four ways to look at usage. An unknown account has no rows; an unknown cluster is `not_found`. */
export interface UsageReads<Scope, Row, AccountRow> {
  /** One row for each account over the whole range, ascending by account. */
  ofAccounts(scope: Scope, range: UsageRange, slice: Slice): Promise<Page<AccountRow>>
  /** At most one row, over the whole range. */
  ofAccount(scope: Scope, account: string, range: UsageRange): Promise<Page<Row>>
  /** One row for each hour with data, ascending. */
  detail(scope: Scope, account: string, range: UsageRange, slice: Slice): Promise<Page<Row>>
  /** At most one row: the sum of `ofAccounts`. */
  total(scope: Scope, range: UsageRange): Promise<Page<Row>>
}

/** Whose transfer is read. */
export interface TransferScope {
  readonly clusterId: number
}
/** Whose storage is read: of one storage policy. */
export interface StorageScope extends TransferScope {
  /** Index of the storage policy. */
  readonly policyIdx: number
}

/** Usage of accounts by half-hours, in bytes and numbers. */
export interface UtilizationService {
  readonly storage: UsageReads<StorageScope, StorageUtilization, AccountStorageUtilization>
  readonly transfer: UsageReads<TransferScope, TransferUtilization, AccountTransferUtilization>
}
