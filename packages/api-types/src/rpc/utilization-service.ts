import type {
  AccountStorageUtilization,
  AccountTransferUtilization,
  StorageUtilization,
  TransferUtilization,
  UsageGroup,
  UsageKind,
  UsageStep,
  UtilizationSeries,
} from '../rest/index.js'
import type { Caller, Page } from './verbs.js'

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

export interface UsageSeriesQuery extends UsageRange {
  readonly of: UsageKind
  readonly by: UsageStep
  /** Default: by policy for storage; transfer is known by account only. */
  readonly group?: UsageGroup | undefined
  /** How many accounts have a series of their own. */
  readonly top: number
}

/** Usage by days or months, for charts. */
export interface UsageSeriesService {
  /** Throws `invalid` for more steps than a chart has, and `not_found`. */
  get(clusterId: number, query: UsageSeriesQuery): Promise<UtilizationSeries>
}

/** What one node has reported between two times, as `start` and `end` of utilization are written. */
export interface UsageRemoval extends UsageRange {
  /** An id, also that of a node that was removed. */
  readonly node: number
}

/** Corrects usage by removing what a node has reported. */
export interface UsageRemovalService {
  /** Returns the number of rows that were removed. */
  remove(removal: UsageRemoval, caller: Caller): Promise<{ readonly rows: number }>
}
