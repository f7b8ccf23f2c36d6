import { z } from 'zod'
import { byId, throughCluster, timeRange } from '../dialect/rules.js'
import type { ResourceRules } from '../dialect/rules.js'
import { blankKey, relationUri, ResourceUri } from '../dialect/uri.js'

export const AlertDeliveryState = z
  .enum(['waiting', 'sending', 'delivered', 'failed', 'canceled'])
  .meta({ id: 'AlertDeliveryState' })
export type AlertDeliveryState = z.infer<typeof AlertDeliveryState>

/** One message to a receiver about the alerts of one code and cluster, or of this control plane. */
export const AlertDelivery = z
  .object({
    id: z.int(),
    resource_uri: ResourceUri,
    receiver: relationUri('alert_receivers'),
    cluster: relationUri('clusters').nullable().meta({ description: 'Null: its alerts are of this control plane' }),
    code: z.string().meta({ description: 'Such as DEVICE_UNMOUNTED' }),
    state: AlertDeliveryState.meta({
      description:
        'waiting: for its time or for the next attempt; failed: given up after a day; canceled: its alerts were acknowledged or silenced before',
    }),
    attempts: z.int(),
    created_at: z.iso.datetime(),
    next_at: z.iso.datetime().nullable().meta({ description: 'The time of the next attempt; null when it has ended' }),
    ended_at: z.iso.datetime().nullable(),
    error: z.string().meta({ description: 'Why the last attempt failed', [blankKey]: true }),
  })
  .meta({
    id: 'AlertDelivery',
    examples: [
      {
        id: 40,
        resource_uri: '/api/v1/alert_deliveries/40/',
        receiver: '/api/v1/alert_receivers/3/',
        cluster: '/api/v1/clusters/1/',
        code: 'DEVICE_UNMOUNTED',
        state: 'waiting',
        attempts: 2,
        created_at: '2026-11-22T10:36:02.000Z',
        next_at: '2026-11-22T10:39:32.000Z',
        ended_at: null,
        error: 'alerts.example answered with status 503.',
      },
    ],
  })
export type AlertDelivery = z.infer<typeof AlertDelivery>

/** Whether the dead man's switch is called. */
export interface HeartbeatStatus {
  /** The server of ROOST_HEARTBEAT_URL; null where it is not set. */
  readonly target: string | null
  readonly last_success_at: string | null
  /** Why the last call failed or was left out; empty after a success. */
  readonly error: string
}

export const alertDeliveryRules = {
  filters: {
    ...byId,
    ...throughCluster,
    receiver: { relation: 'alert_receivers' },
    code: 'text',
    state: 'text',
    ...timeRange('created_at'),
  },
  ordering: ['id', 'code', 'state', 'attempts', 'created_at', 'ended_at'],
  observed: ['state', 'attempts', 'next_at', 'ended_at', 'error'],
} as const satisfies ResourceRules
