import { z } from 'zod'
import { byId, throughCluster, throughNode, timeRange } from '../dialect/rules.js'
import type { ResourceRules } from '../dialect/rules.js'
import { blankKey, relationUri, ResourceUri } from '../dialect/uri.js'

export const AlertState = z.enum(['pending', 'firing', 'unknown', 'resolved']).meta({ id: 'AlertState' })
export type AlertState = z.infer<typeof AlertState>

const example = {
  id: 12,
  resource_uri: '/api/v1/alerts/12/',
  code: 'DEVICE_UNMOUNTED',
  problem: 'device_unmounted',
  severity: 'warning',
  state: 'firing',
  cluster: '/api/v1/clusters/1/',
  node: '/api/v1/nodes/7/',
  hostname: 'store-7',
  device: '/api/v1/devices/91/',
  subject: 'd5',
  summary: 'The device d5 of store-7 is not mounted.',
  effect: 'The replicas on it are not available, and their data has fewer copies than its policy demands.',
  remedy: 'Mount it, or remove it from the rings.',
  doc: '/docs/alerts/DEVICE_UNMOUNTED',
  rank: 8,
  value: null,
  threshold: null,
  started_at: '2026-11-22T10:33:02.000Z',
  fired_at: '2026-11-22T10:36:02.000Z',
  changed_at: '2026-11-22T10:36:02.000Z',
  resolved_at: null,
  acknowledged: false,
  acknowledged_by: '',
  acknowledged_at: null,
  silenced: false,
  silenced_until: null,
}

/** Returns the path of the page that says what an alert means and what to do. */
export function alertPage(code: string): string {
  return `/docs/alerts/${code}`
}

/** A problem of one subject of a cluster, or of this control plane, from its first sight to its end. */
export const Alert = z
  .object({
    id: z.int(),
    resource_uri: ResourceUri,
    code: z.string().meta({ description: 'Such as DEVICE_UNMOUNTED' }),
    problem: z.string().meta({ description: 'The code of the check, as in the health of the cluster' }),
    severity: z.enum(['warning', 'critical']),
    state: AlertState.meta({
      description:
        'pending: not long enough yet; unknown: it fired, and there is no reading now that shows whether it lasts',
    }),
    cluster: relationUri('clusters').nullable().meta({ description: 'Null: the problem is of this control plane' }),
    node: relationUri('nodes').nullable(),
    hostname: z.string().meta({ description: 'The name that the node had', [blankKey]: true }),
    device: relationUri('devices').nullable(),
    subject: z.string(),
    summary: z.string().meta({ description: 'What is wrong' }),
    effect: z.string().meta({ description: 'What it means for data or service', [blankKey]: true }),
    remedy: z.string().meta({ description: 'What to do; empty where only the summary says it', [blankKey]: true }),
    doc: z.string().meta({ description: 'Path of the page of the code, on this server' }),
    rank: z.int().meta({ description: 'Urgency: 1 is the most urgent. Critical ones come first' }),
    value: z.number().nullable().meta({
      description:
        'The number that the check compares with its limit; docs/checks.md says what it is. Null where it compares none',
    }),
    threshold: z.number().nullable().meta({ description: 'The limit' }),
    started_at: z.iso.datetime(),
    fired_at: z.iso.datetime().nullable(),
    changed_at: z.iso.datetime().meta({ description: 'When the state or the severity changed last' }),
    resolved_at: z.iso.datetime().nullable(),
    acknowledged: z.boolean(),
    acknowledged_by: z.string().meta({ description: 'Name of the operator', [blankKey]: true }),
    acknowledged_at: z.iso.datetime().nullable(),
    silenced: z.boolean().meta({ description: 'By a silence, or because its node is in maintenance' }),
    silenced_until: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Alert', examples: [example] })
export type Alert = z.infer<typeof Alert>

export const AlertChange = z
  .object({
    acknowledged: z.boolean().optional().meta({ description: 'An operator knows of it: it is not sent again' }),
  })
  .meta({ examples: [{ acknowledged: true }] })
export type AlertChange = z.infer<typeof AlertChange>

export const alertRules = {
  filters: {
    ...byId,
    code: 'text',
    problem: 'text',
    severity: 'text',
    state: 'text',
    ...throughCluster,
    /** Alerts of the cluster, and those of the control plane, which concern all. */
    concerns: { relation: 'clusters' },
    of_control_plane: 'boolean',
    ...throughNode,
    device: { relation: 'devices' },
    subject: 'text',
    acknowledged: 'boolean',
    silenced: 'boolean',
    needs_action: 'boolean',
    ...timeRange('fired_at'),
  },
  ordering: ['id', 'rank', 'code', 'severity', 'state', 'started_at', 'fired_at', 'changed_at'],
  observed: [
    'severity',
    'state',
    'rank',
    'summary',
    'effect',
    'remedy',
    'value',
    'threshold',
    'fired_at',
    'changed_at',
    'resolved_at',
    'silenced',
    'silenced_until',
  ],
} as const satisfies ResourceRules
