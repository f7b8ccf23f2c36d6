import { z } from 'zod'
import { boundedText } from '../values/text.js'
import { byId, throughCluster, throughNode } from './dialect/rules.js'
import type { ResourceRules } from './dialect/rules.js'
import { blankKey, maxId, relationTo, relationUri, ResourceUri } from './dialect/uri.js'
import { NodeState } from './node.js'

export const JobState = z.enum(['NEW', 'QUEUED', 'IN_PROGRESS', 'COMPLETED_SUCCESS', 'COMPLETED_FAILED'])
export type JobState = z.infer<typeof JobState>

export const unfinishedStates = ['NEW', 'QUEUED', 'IN_PROGRESS'] as const satisfies readonly JobState[]

export const TargetState = z.enum(['waiting', 'planned', 'staged', 'applied', 'failed', 'rolled_back'])
export type TargetState = z.infer<typeof TargetState>

const NodeTarget = z
  .object({ node: relationUri('nodes'), state: TargetState, message: z.string(), generation: z.int().nullable() })
  .meta({ id: 'NodeTarget' })

/** The only target of a deployment of users to an identity service. */
const IdentityTarget = z
  .object({ identity: ResourceUri, state: TargetState, message: z.string() })
  .meta({ id: 'IdentityTarget' })

export const JobTarget = z.union([NodeTarget, IdentityTarget]).meta({ id: 'JobTarget' })
export type JobTarget = z.infer<typeof JobTarget>

const PlannedFile = z.object({ path: z.string(), change: z.enum(['create', 'change', 'remove']), diff: z.string() })
const LostSession = z.object({ share: z.string(), client: z.string(), user: z.string().nullable() })
const DaemonAction = z.object({
  daemon: z.string(),
  action: z.enum(['none', 'reload', 'close-share', 'restart']),
  sessions_lost: z.array(LostSession),
})

/** What a node would do; `error` where it could not say. */
export const NodePlan = z
  .object({
    node: relationUri('nodes'),
    files: z.array(PlannedFile),
    daemons: z.array(DaemonAction),
    mounts: z.object({ started: z.array(z.string()), stopped: z.array(z.string()) }),
    notes: z.array(z.string()),
    error: z.string().nullable(),
  })
  .meta({ id: 'NodePlan' })
export type NodePlan = z.infer<typeof NodePlan>

export const PlannedObject = z.object({
  type: z.enum(['domain', 'project', 'user', 'role']),
  name: z.string().meta({ description: 'Of a role: the user that gets or loses it' }),
  change: z.enum(['create', 'enable', 'disable', 'set_password', 'grant', 'revoke']),
  detail: z.string().meta({ description: 'Of a role: its name', [blankKey]: true }),
})
export type PlannedObject = z.infer<typeof PlannedObject>

/** What would change in the identity service of a cluster, in the order in which it changes for each user. */
export const IdentityPlan = z
  .object({ identity: ResourceUri, objects: z.array(PlannedObject), notes: z.array(z.string()) })
  .meta({ id: 'IdentityPlan' })
export type IdentityPlan = z.infer<typeof IdentityPlan>

export const JobPlan = z
  .object({
    plan_id: z.string().meta({ description: 'Send it in a POST to apply exactly this plan' }),
    nodes: z.array(NodePlan),
    identity: IdentityPlan.optional().meta({ description: 'Of a deployment of users to an identity service' }),
  })
  .meta({ id: 'JobPlan' })
export type JobPlan = z.infer<typeof JobPlan>

/** How far a job is, whatever it does. */
export const jobProgress = {
  state: JobState,
  created: z.iso.datetime(),
  started: z.iso.datetime().nullable(),
  finished: z.iso.datetime().nullable(),
  progress: z.int().meta({ description: '0 to 100' }),
  message: z.string().meta({ [blankKey]: true }),
}

const exampleJob = {
  id: '7',
  resource_uri: '/api/v1/gateway_deployments/7/',
  node: '/api/v1/nodes/7/',
  cluster: null,
  state: 'COMPLETED_SUCCESS',
  created: '2026-11-20T20:15:00.000Z',
  started: '2026-11-20T20:15:00.100Z',
  finished: '2026-11-20T20:15:04.000Z',
  progress: 100,
  message: '',
  targets: [{ node: '/api/v1/nodes/7/', state: 'applied', message: '', generation: 4 }],
  left_out: [],
  dry_run: false,
  confirm_within_s: null,
  confirmed: null,
  plan: null,
}

/** A node of the cluster that the kind of deployment concerns, and that is no target. */
export const LeftOutNode = z
  .object({ node: relationUri('nodes'), message: z.string() })
  .meta({ id: 'LeftOutNode', examples: [{ node: '/api/v1/nodes/9/', message: 'authenticates with Keystone' }] })
export type LeftOutNode = z.infer<typeof LeftOutNode>

/** A deployment. It is for one node or for all nodes of a cluster that it concerns; the other of the two is null. */
export const Job = z
  .object({
    id: z.string().meta({ description: 'Integer as a string', example: '7' }),
    resource_uri: ResourceUri,
    node: relationUri('nodes').nullable(),
    cluster: relationUri('clusters').nullable(),
    ...jobProgress,
    targets: z.array(JobTarget),
    left_out: z.array(LeftOutNode).meta({
      description: 'Proxies of the cluster that get no users, because they do not authenticate with tempauth',
    }),
    dry_run: z.boolean(),
    confirm_within_s: z
      .int()
      .nullable()
      .meta({ description: 'Seconds in which each node returns to its former generation unless the job is confirmed' }),
    confirmed: z.iso.datetime().nullable(),
    plan: JobPlan.nullable(),
  })
  .meta({ id: 'Job', examples: [exampleJob] })
export type Job = z.infer<typeof Job>

const oneTarget = 'Give either a node or a cluster.'

export const JobInput = z
  .object({
    node: relationTo('nodes').optional(),
    cluster: relationTo('clusters').optional(),
    dry_run: z.boolean().default(false),
    plan_id: boundedText(128).optional(),
    /** Returns the node to what an earlier generation was. */
    generation: z.int().min(1).max(maxId).optional(),
    /** Each node returns to its former generation by itself unless the job is confirmed so many seconds after it was applied there. */
    confirm_within_s: z.int().min(10).max(86_400).optional(),
  })
  .refine((input) => (input.node === undefined) !== (input.cluster === undefined), { error: oneTarget, path: ['node'] })
  .refine((input) => input.generation === undefined || input.node !== undefined, {
    error: 'A generation belongs to one node. Give a node instead of a cluster.',
    path: ['generation'],
  })
  .refine((input) => input.confirm_within_s === undefined || !input.dry_run, {
    error: 'A dry run changes nothing that could be confirmed.',
    path: ['confirm_within_s'],
  })
  .meta({ examples: [{ node: '/api/v1/nodes/7/' }] })
export type JobInput = z.infer<typeof JobInput>

export const jobRules = {
  filters: { ...byId, ...throughNode, ...throughCluster, state: 'text' },
  ordering: ['id', 'state', 'created', 'started', 'finished'],
  observed: ['state', 'started', 'finished', 'progress', 'message', 'targets', 'left_out', 'confirmed', 'plan'],
} as const satisfies ResourceRules

/** What a node has that the generation in force did not put there. */
export const Drift = z
  .object({
    node: relationUri('nodes'),
    config_state: z.enum(['synced', 'pending', 'drifted', 'unknown']),
    kinds: z.array(
      z.object({
        kind: z.enum(['gateway', 'user_db']),
        generation: z.int(),
        applied_generation: z.int(),
        items: z.array(
          z.object({
            subject: z.string(),
            message: z.string(),
            diff: z.string(),
            adoptable: z
              .boolean()
              .meta({ description: 'Whether adopt can store this difference in the fields of shares' }),
          }),
        ),
      }),
    ),
  })
  .meta({
    id: 'Drift',
    examples: [
      {
        node: '/api/v1/nodes/7/',
        config_state: 'drifted',
        kinds: [
          {
            kind: 'gateway',
            generation: 4,
            applied_generation: 4,
            items: [
              {
                subject: '/etc/exports.d/roost.exports',
                message: 'The file was changed by hand.',
                diff: '-/srv/roost/3 10.0.0.0/8(rw)\n+/srv/roost/3 *(rw)\n',
                adoptable: true,
              },
            ],
          },
        ],
      },
    ],
  })
export type Drift = z.infer<typeof Drift>

/** A node of which `Drift` has differences, with their numbers. */
export const DriftedNode = z
  .object({
    node: relationUri('nodes'),
    hostname: z.string(),
    cluster: relationUri('clusters'),
    state: NodeState,
    kinds: z.array(
      z.object({
        kind: z.enum(['gateway', 'user_db']),
        generation: z.int(),
        applied_generation: z.int(),
        items: z.int().meta({ description: 'Number of differences' }),
        adoptable: z.int().meta({ description: 'How many of them adopt can store in the fields of shares' }),
        since: z.iso.datetime().meta({ description: 'When the first difference was reported' }),
      }),
    ),
  })
  .meta({
    id: 'DriftedNode',
    examples: [
      {
        node: '/api/v1/nodes/7/',
        hostname: 'gw-1',
        cluster: '/api/v1/clusters/1/',
        state: 'online',
        kinds: [
          {
            kind: 'gateway',
            generation: 4,
            applied_generation: 4,
            items: 2,
            adoptable: 1,
            since: '2026-11-24T10:00:00.000Z',
          },
        ],
      },
    ],
  })
export type DriftedNode = z.infer<typeof DriftedNode>

export const DriftAction = z
  .object({ action: z.enum(['adopt', 'reapply']) })
  .meta({ examples: [{ action: 'reapply' as const }] })
export type DriftAction = z.infer<typeof DriftAction>
