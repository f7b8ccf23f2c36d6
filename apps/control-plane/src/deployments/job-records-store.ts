import { authenticatesWith, resourceUri } from '@roost/api-types/rest'
import type {
  IdentityPlan,
  Job,
  JobPlan,
  JobState,
  JobTarget,
  LeftOutNode,
  NodePlan,
  ProxyAuthentication,
  TargetState,
} from '@roost/api-types/rest'
import type { DeploymentKind } from '@roost/api-types/agent'
import type { Prisma } from '@roost/database'
import { progressOf } from './decide.js'
import type { JobNow } from './decide.js'
import { deploymentKinds } from './kinds.js'
import type { ReviewedPlan } from './plan-id.js'

export const withTargets = {
  targets: { orderBy: { nodeId: 'asc' }, include: { node: { select: { hostname: true } } } },
  leftOut: { orderBy: { nodeId: 'asc' } },
  identityTarget: true,
} as const satisfies Prisma.JobInclude
export type JobRow = Prisma.JobGetPayload<{ include: typeof withTargets }>

/** A row as the state machine sees it. */
export function jobNow(row: JobRow): JobNow {
  return {
    state: row.state as JobState,
    dryRun: row.dryRun,
    targets: row.targets.map(({ nodeId, node, state, begun, answered, unconfirmed, attempts, message }) => ({
      nodeId,
      hostname: node.hostname,
      state: state as TargetState,
      begun,
      answered,
      unconfirmed,
      attempts,
      deadline: null,
      message,
    })),
  }
}

export function jobRecord(row: JobRow): Job {
  return {
    id: String(row.id),
    resource_uri: resourceUri(deploymentKinds[row.kind as DeploymentKind].resource, row.id),
    node: row.nodeId === null ? null : resourceUri('nodes', row.nodeId),
    cluster: row.nodeId === null ? resourceUri('clusters', row.clusterId) : null,
    state: row.state as JobState,
    created: row.createdAt.toISOString(),
    started: isoOrNull(row.startedAt),
    finished: isoOrNull(row.finishedAt),
    progress: progressOf(row.identityTarget === null ? jobNow(row) : identityNow(row, row.identityTarget)),
    message: row.message,
    targets:
      row.identityTarget === null ? row.targets.map(targetRecord) : [identityRecord(row.clusterId, row.identityTarget)],
    left_out: row.leftOut.map(leftOutRecord),
    dry_run: row.dryRun,
    confirm_within_s: row.confirmWithinS,
    confirmed: isoOrNull(row.confirmedAt),
    plan: planRecord(row),
  }
}

function isoOrNull(time: Date | null): string | null {
  return time?.toISOString() ?? null
}

function targetRecord({ nodeId, state, message, generation }: JobRow['targets'][number]): JobTarget {
  return { node: resourceUri('nodes', nodeId), state: state as TargetState, message, generation }
}

function leftOutRecord({ nodeId, authentication }: JobRow['leftOut'][number]): LeftOutNode {
  return { node: resourceUri('nodes', nodeId), message: authenticatesWith[authentication as ProxyAuthentication] }
}

type IdentityRow = NonNullable<JobRow['identityTarget']>

function identityRecord(clusterId: number, { state, message }: IdentityRow): JobTarget {
  return { identity: `${resourceUri('clusters', clusterId)}identity/`, state: state as TargetState, message }
}

/** The job as one whose target is a node: its progress is that of the identity service. */
function identityNow(row: JobRow, { state, begun, attempts, message }: IdentityRow): JobNow {
  const node = { nodeId: 0, hostname: '', answered: false, unconfirmed: false, deadline: null }
  const target = { ...node, state: state as TargetState, begun, attempts, message }
  return { ...jobNow(row), targets: [target] }
}

/** The plans that its targets have, by node. */
export function plansOf({ targets }: JobRow): ReadonlyMap<number, ReviewedPlan> {
  const plans = targets.flatMap(({ nodeId, plan, planMark }) =>
    plan === null || planMark === null
      ? []
      : [[nodeId, { plan: plan as unknown as NodePlan, mark: planMark }] as const],
  )
  return new Map(plans)
}

/** Null until every node has answered, and where none was asked. */
function planRecord({ planId, targets, identityTarget }: JobRow): JobPlan | null {
  if (planId === null) return null
  const nodes = targets.flatMap(({ plan }) => (plan === null ? [] : [plan as unknown as NodePlan]))
  const identity = identityTarget?.plan ?? null
  return { plan_id: planId, nodes, ...(identity === null ? {} : { identity: identity as unknown as IdentityPlan }) }
}
