import { byNames } from '@roost/api-types/browser'
import { queryOptions } from '@tanstack/react-query'
import { refetchInterval } from '../connection.js'
import { rpc } from '../client.js'
import type { ListSource } from '../use-pages.js'
import type { Filters } from './filters.js'
import type { inferOutput } from './output.js'

export type AlertRecord = inferOutput<typeof rpc.alerts.get.query>
export type RuleRecord = inferOutput<typeof rpc.alertRules.get.query>
export type LimitRecord = inferOutput<typeof rpc.alertMetricRules.get.query>

/** The order of urgency, which the server knows. */
export const byUrgency = 'rank,-fired_at'

/** What needs a person now in a cluster, and of the control plane, the most urgent first. */
export const openAlerts = (cluster: number) =>
  queryOptions({
    queryKey: ['alerts', 'open', cluster],
    queryFn: ({ signal }) =>
      rpc.alerts.list.query(
        { filters: { concerns: cluster, needs_action: true }, order_by: ['rank', '-fired_at'], limit: 50 },
        { signal },
      ),
    refetchInterval,
  })

export const alertList = (filters: Filters, order: string): ListSource<AlertRecord> => ({
  name: 'alerts',
  key: ['alerts', filters, order],
  read: (slice, signal) =>
    rpc.alerts.list.query(byNames({ filters, order_by: order.split(','), ...slice }), { signal }),
})

export const alert = (id: number) =>
  queryOptions({
    queryKey: ['alerts', 'one', id],
    queryFn: ({ signal }) => rpc.alerts.get.query({ id }, { signal }),
    refetchInterval,
  })

const first = { limit: 1000, offset: 0 }

export const readRules: ListSource<RuleRecord>['read'] = (slice, signal) =>
  rpc.alertRules.list.query({ order_by: ['code'], ...slice }, { signal })

export const alertRules = () =>
  queryOptions({
    queryKey: ['alerts', 'rules'],
    queryFn: async ({ signal }) => (await readRules(first, signal)).objects,
    refetchInterval,
  })

export const readLimits: ListSource<LimitRecord>['read'] = (slice, signal) =>
  rpc.alertMetricRules.list.query({ order_by: ['name'], ...slice }, { signal })

export const alertMetricRules = () =>
  queryOptions({
    queryKey: ['alerts', 'metric-rules'],
    queryFn: async ({ signal }) => (await readLimits(first, signal)).objects,
    refetchInterval,
  })
