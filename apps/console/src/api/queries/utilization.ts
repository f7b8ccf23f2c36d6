import { queryOptions } from '@tanstack/react-query'
import { rpc } from '../client.js'
import type { ListSource } from '../use-pages.js'
import type { inferOutput } from './output.js'

/** Nodes report usage every half-hour. */
const staleTime = 300_000

/** Of one cluster and a period. Storage is that of one policy. */
export interface UsageOf {
  readonly cluster: number
  /** Index of the policy; undefined for transfer. */
  readonly policy: number | undefined
  readonly start: string
  readonly end?: string
}

type StorageRow = inferOutput<typeof rpc.utilization.storage.ofAccounts.query>['objects'][number]
type TransferRow = inferOutput<typeof rpc.utilization.transfer.ofAccounts.query>['objects'][number]
/** Counters of an account, or of all: those of storage or those of transfer. */
export type UsageRow = Partial<StorageRow & TransferRow> & Pick<StorageRow, 'start' | 'end' | 'pct_complete'>
export type AccountUsageRow = UsageRow & Pick<StorageRow, 'account' | 'account_name'>

export const policies = (cluster: number) =>
  queryOptions({
    queryKey: ['policies', cluster],
    queryFn: async ({ signal }) =>
      (await rpc.storagePolicies.list.query({ filters: { cluster }, order_by: ['index'], limit: 1000 }, { signal }))
        .objects,
    staleTime,
  })

export const accountUsage = ({ cluster: id, policy, ...range }: UsageOf): ListSource<AccountUsageRow> => ({
  name: 'utilization',
  key: ['utilization', id, policy, range],
  staleTime,
  read: (slice, signal) =>
    policy === undefined
      ? rpc.utilization.transfer.ofAccounts.query({ id, ...range, ...slice }, { signal })
      : rpc.utilization.storage.ofAccounts.query({ id, policy_idx: policy, ...range, ...slice }, { signal }),
})

/** The sum of all accounts; null without data. */
export const totalUsage = ({ cluster: id, policy, ...range }: UsageOf) =>
  queryOptions({
    queryKey: ['utilization', 'total', id, policy, range],
    staleTime,
    queryFn: async ({ signal }): Promise<UsageRow | null> => {
      const { objects } =
        policy === undefined
          ? await rpc.utilization.transfer.total.query({ id, ...range }, { signal })
          : await rpc.utilization.storage.total.query({ id, policy_idx: policy, ...range }, { signal })
      return objects[0] ?? null
    },
  })

interface SeriesOf {
  readonly of: 'storage' | 'transfer'
  readonly by: 'day' | 'month'
  readonly group: 'policy' | 'account'
  readonly top: number
}

/** Usage of a cluster by days or months. */
export const usageSeries = ({ cluster: id, policy: _policy, ...range }: UsageOf, of: SeriesOf) =>
  queryOptions({
    queryKey: ['utilization', 'series', id, range, of],
    staleTime,
    queryFn: ({ signal }) => rpc.utilization.series.query({ id, ...range, ...of }, { signal }),
  })

export type UsageSeries = inferOutput<typeof rpc.utilization.series.query>

const mostHours = 1000

/** The first hours of an account that have data: those of 41 days. */
export const usageByHour = ({ cluster: id, policy, ...range }: UsageOf, account: string) =>
  queryOptions({
    queryKey: ['utilization', 'hours', id, policy, range, account],
    staleTime,
    queryFn: async ({ signal }): Promise<readonly UsageRow[]> => {
      const page = { limit: mostHours, offset: 0 }
      const { objects } =
        policy === undefined
          ? await rpc.utilization.transfer.detail.query({ id, account, ...range, ...page }, { signal })
          : await rpc.utilization.storage.detail.query(
              { id, account, policy_idx: policy, ...range, ...page },
              { signal },
            )
      return objects
    },
  })
