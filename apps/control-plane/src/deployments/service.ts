import { isDeepStrictEqual } from 'node:util'
import type { DeploymentKind } from '@roost/api-types/agent'
import { idOfRelation, RoostError } from '@roost/api-types/rest'
import type { Job, JobInput } from '@roost/api-types/rest'
import type { Caller, JobService } from '@roost/api-types/rpc'
import type { Writes } from '../audit/service.js'
import { found } from '../errors.js'
import { fieldError } from '../field-errors.js'
import { watch } from '../watching.js'
import { createReads } from '../reads.js'
import { lockJobs } from './job-store.js'
import type { JobStore } from './job-store.js'
import { deploymentKinds } from './kinds.js'
import { planId } from './plan-id.js'
import type { Planner } from './planner.js'
import { targetUri, wantedTargets } from './targets.js'

export interface JobCollaborators {
  readonly kind: DeploymentKind
  readonly store: JobStore
  readonly writes: Writes
  readonly plan: Planner
  /** There is something to do. */
  readonly wake: () => void
}

/** Deployments of one kind, as operators ask for them. What happens then is the runner's. */
export function createJobService(collaborators: JobCollaborators): JobService {
  const { kind, store, writes, wake } = collaborators
  const reads = createReads(store)
  return {
    ...reads,
    async watch(id, signal) {
      await reads.get(id)
      return watchJob(() => reads.get(id), signal)
    },
    async create(input, caller) {
      const reviewed = input.plan_id === undefined ? undefined : await samePlan(collaborators, input.plan_id, input)
      const job = await writes.run(caller, async (tx) => {
        await lockJobs(tx)
        const wanted = await wantedTargets(tx, store, kind, input)
        if (reviewed !== undefined && !isDeepStrictEqual(reviewed, wanted.targets.toSorted(byNumber))) throw otherPlan()
        const options = { dryRun: input.dry_run, returnTo: input.generation ?? null }
        const result = await store.insert(tx, { ...wanted, ...options })
        return { result, audit: auditOf(kind, 'create', result, input) }
      })
      wake()
      return job
    },
    async cancel(id, caller) {
      const job = await cancel(collaborators, id, caller)
      wake()
      return job
    },
  }
}

const watchPeriodMs = 500

async function* watchJob(read: () => Promise<Job>, signal: AbortSignal): AsyncGenerator<Job> {
  const look = async () => new Map([[0, await read()]])
  const options = { look, isSame: isDeepStrictEqual, gone: () => undefined, periodMs: watchPeriodMs }
  for await (const [job] of watch<Job>(options, signal)) {
    if (job !== undefined) yield job
    if (job === undefined || job.finished !== null) return
  }
}

function cancel({ kind, store, writes }: JobCollaborators, id: number, caller: Caller): Promise<Job> {
  return writes.run(caller, async (tx) => {
    const { record, now } = found(await store.findForUpdate(tx, id))
    if (record.finished !== null) throw new RoostError('conflict', 'This deployment has ended already.')
    const waiting = now.targets.filter(({ begun, state }) => !begun && state === 'waiting')
    if (waiting.length === 0 && now.targets.length > 0)
      throw new RoostError('conflict', 'Every node has begun: nothing is left to cancel.')
    const message = `Cancelled by ${caller.operator}.`
    for (const { nodeId } of waiting) await store.updateTarget(tx, id, nodeId, { state: 'failed', message })
    const { record: result } = found(await store.findForUpdate(tx, id))
    return { result, audit: auditOf(kind, 'cancel', result) }
  })
}

/** What was reviewed must be what would be done, for the same target. Answers the nodes that it was reviewed for. */
async function samePlan(
  { kind, store, plan }: JobCollaborators,
  id: string,
  input: JobInput,
): Promise<readonly number[]> {
  const reviewed = await store.findPlanned(id)
  if (reviewed === undefined || (reviewed.node ?? reviewed.cluster) !== targetUri(input))
    throw fieldError({ plan_id: ['There is no plan of that id for this target: make one with dry_run.'] })
  const nodeIds = reviewed.targets.map(({ node }) => idOfRelation('nodes', node) ?? 0)
  const plans = await Promise.all(nodeIds.map((nodeId) => plan(kind, nodeId, input.generation ?? null)))
  const marks = plans.flatMap((one) => ('mark' in one ? [one.mark] : []))
  if (marks.length < plans.length || planId(marks) !== id) throw otherPlan()
  return nodeIds.toSorted(byNumber)
}

function otherPlan(): RoostError {
  return new RoostError('conflict', 'The plan would not be the same now: make a new one with dry_run and review it.')
}

const byNumber = (one: number, other: number) => one - other

function auditOf(kind: DeploymentKind, action: string, job: Job, input?: JobInput) {
  const { node, cluster } = job
  const asked = { node, cluster, dry_run: job.dry_run || null, plan_id: input?.plan_id, generation: input?.generation }
  const changes = Object.entries(asked).filter(([, value]) => value != null)
  return {
    action,
    resource: deploymentKinds[kind].resource,
    resourceId: Number(job.id),
    changes: Object.fromEntries(changes.map(([field, value]) => [field, [null, value]])),
  }
}
