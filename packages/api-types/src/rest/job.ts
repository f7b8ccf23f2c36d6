import { z } from 'zod'
import { throughCluster, throughNode } from './rules.js'
import type { ResourceRules } from './rules.js'
import { relationTo, relationUri, ResourceUri } from './uri.js'

export const JobState = z.enum(['NEW', 'QUEUED', 'IN_PROGRESS', 'COMPLETED_SUCCESS', 'COMPLETED_FAILED'])
export type JobState = z.infer<typeof JobState>

export const unfinishedStates = ['NEW', 'QUEUED', 'IN_PROGRESS'] as const satisfies readonly JobState[]

export const TargetState = z.enum(['waiting', 'planned', 'staged', 'applied', 'failed', 'rolled_back'])
export type TargetState = z.infer<typeof TargetState>

export const JobTarget = z
  .object({ node: relationUri('nodes'), state: TargetState, message: z.string(), generation: z.int().nullable() })
  .meta({ id: 'JobTarget' })
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

export const JobPlan = z
  .object({
    plan_id: z.string().meta({ description: 'Name it in a POST to apply this plan and no other' }),
    nodes: z.array(NodePlan),
  })
  .meta({ id: 'JobPlan' })
export type JobPlan = z.infer<typeof JobPlan>

/** A deployment. It is for one node or for all nodes of a cluster that it concerns; the other of the two is null. */
export const Job = z
  .object({
    id: z.string().meta({ description: 'Numeric text', example: '7' }),
    resource_uri: ResourceUri,
    node: relationUri('nodes').nullable(),
    cluster: relationUri('clusters').nullable(),
    state: JobState,
    created: z.iso.datetime(),
    started: z.iso.datetime().nullable(),
    finished: z.iso.datetime().nullable(),
    progress: z.int().meta({ description: '0 to 100' }),
    message: z.string(),
    targets: z.array(JobTarget),
    dry_run: z.boolean(),
    plan: JobPlan.nullable(),
  })
  .meta({ id: 'Job' })
export type Job = z.infer<typeof Job>

const oneTarget = 'Name a node or a cluster, one of the two.'

export const JobInput = z
  .object({
    node: relationTo('nodes').optional(),
    cluster: relationTo('clusters').optional(),
    dry_run: z.boolean().default(false),
    plan_id: z.string().max(128).optional(),
    /** Returns the node to what an earlier generation was. */
    generation: z.int().min(1).optional(),
  })
  .refine((input) => (input.node === undefined) !== (input.cluster === undefined), { error: oneTarget, path: ['node'] })
  .refine((input) => input.generation === undefined || input.node !== undefined, {
    error: 'A generation belongs to one node: name the node.',
    path: ['generation'],
  })
export type JobInput = z.infer<typeof JobInput>

export const jobRules = {
  filters: { id: 'integer', ...throughNode, ...throughCluster, state: 'text' },
  ordering: ['id', 'state', 'created', 'started', 'finished'],
  observed: ['state', 'started', 'finished', 'progress', 'message', 'targets', 'plan'],
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
        items: z.array(z.object({ subject: z.string(), message: z.string(), diff: z.string() })),
      }),
    ),
  })
  .meta({ id: 'Drift' })
export type Drift = z.infer<typeof Drift>

export const DriftAction = z.object({ action: z.enum(['adopt', 'reapply']) })
export type DriftAction = z.infer<typeof DriftAction>
