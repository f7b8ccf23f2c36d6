import { z } from 'zod'
import { byId, throughCluster } from './dialect/rules.js'
import type { ResourceRules } from './dialect/rules.js'
import { relationTo, relationUri, ResourceUri } from './dialect/uri.js'
import { jobProgress } from './job.js'

export const UpgradeTargetState = z.enum([
  'waiting',
  'upgrading',
  'installed',
  'offline',
  'refused',
  'returned',
  'failed',
  'skipped',
])
export type UpgradeTargetState = z.infer<typeof UpgradeTargetState>

const UpgradeTarget = z
  .object({
    node: relationUri('nodes'),
    wave: z.int().meta({ description: 'From 1, the canaries; 0 for nodes that are not upgraded' }),
    state: UpgradeTargetState,
    message: z.string(),
    from_version: z.string().meta({ description: 'The version of its agent when the upgrade was created' }),
  })
  .meta({ id: 'UpgradeTarget' })
export type UpgradeTarget = z.infer<typeof UpgradeTarget>

const example = {
  id: 3,
  resource_uri: '/api/v1/agent_upgrades/3/',
  cluster: '/api/v1/clusters/1/',
  node: null,
  version: '0.3.0',
  canary: 1,
  wave_percent: 10,
  state: 'COMPLETED_SUCCESS',
  created: '2026-11-23T20:15:00.000Z',
  started: '2026-11-23T20:15:00.100Z',
  finished: '2026-11-23T20:19:04.000Z',
  progress: 100,
  message: '',
  targets: [{ node: '/api/v1/nodes/7/', wave: 1, state: 'installed', message: '', from_version: '0.2.0' }],
}

/** An upgrade of the agents of a cluster or of one node, in waves. It ends at the first node that fails. */
export const AgentUpgradeJob = z
  .object({
    id: z.int(),
    resource_uri: ResourceUri,
    cluster: relationUri('clusters'),
    node: relationUri('nodes').nullable().meta({ description: 'null: all enabled nodes of the cluster' }),
    version: z.string(),
    canary: z.int(),
    wave_percent: z.int(),
    ...jobProgress,
    targets: z.array(UpgradeTarget),
  })
  .meta({ id: 'AgentUpgradeJob', examples: [example] })
export type AgentUpgradeJob = z.infer<typeof AgentUpgradeJob>

export const AgentUpgradeInput = z
  .object({
    cluster: relationTo('clusters').optional(),
    node: relationTo('nodes').optional(),
    version: z
      .string()
      .regex(/^\d[\w.+~]{0,99}$/, 'Give a version such as 0.3.0.')
      .optional()
      .meta({ description: 'The newest version that the control plane offers, if absent' }),
    canary: z.int().min(1).max(1000).default(1).meta({ description: 'How many nodes are upgraded first' }),
    wave_percent: z.int().min(1).max(100).default(10).meta({ description: 'The size of the later waves' }),
  })
  .refine((input) => (input.node === undefined) !== (input.cluster === undefined), {
    error: 'Give either a node or a cluster.',
    path: ['cluster'],
  })
  .meta({ examples: [{ cluster: '/api/v1/clusters/1/', version: '0.3.0' }] })
export type AgentUpgradeInput = z.infer<typeof AgentUpgradeInput>

export const agentUpgradeRules = {
  filters: { ...byId, ...throughCluster, state: 'text', version: 'text' },
  ordering: ['id', 'state', 'created'],
  observed: ['state', 'started', 'finished', 'progress', 'message', 'targets'],
} as const satisfies ResourceRules
