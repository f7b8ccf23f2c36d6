import { isDeepStrictEqual } from 'node:util'
import type { DeploymentKind } from '@roost/api-types/agent'
import { idOfRelation, RoostError } from '@roost/api-types/rest'
import type { AuditAction, Job, JobInput } from '@roost/api-types/rest'
import type { Caller, JobService } from '@roost/api-types/rpc'
import type { Transaction } from '../database/transaction.js'
import type { Writes } from '../database/writes.js'
import { found } from '../services/errors.js'
import { fieldError } from '../services/field-errors.js'
import { watch } from '../rpc/poll-changes.js'
import { createReads } from '../services/reads.js'
import { endedStates } from './decide.js'
import { lockJobs } from './job-store.js'
import type { JobStore, ReviewedPlans } from './job-store.js'
import { deploymentKinds } from './kinds.js'
import { movedSince } from './plan-id.js'
import type { Planner } from './planner.js'
import type { AskProxies } from '../services/proxies.js'
import { targetUri, wantedTargets } from './targets.js'

export interface JobServiceOptions {
  readonly kind: DeploymentKind
  readonly store: JobStore
  readonly writes: Writes
  readonly plan: Planner
  /** Asks before each deployment to a cluster, so that what is stored need not be true. */
  readonly askProxies: AskProxies
  /** Ends what is still asked of a node that the job leaves out. */
  readonly leaveOut: (tx: Transaction, nodeId: number) => Promise<void>
  /** Sends a node the state that it must have. */
  readonly sendDesired: (nodeId: number) => Promise<void>
  /** Unix milliseconds. */
  readonly now: () => number
  /** There is something to do. */
  readonly wake: () => void
}

/** The API of one kind of deployment. The runner does the rest. */
export function createJobService(options: JobServiceOptions): JobService {
  const { kind, store, writes, askProxies, leaveOut, wake } = options
  const reads = createReads(store)
  return {
    ...reads,
    async watch(id, signal) {
      await reads.get(id)
      return watchJob(() => reads.get(id), signal)
    },
    async create(input, caller) {
      const reviewed = input.plan_id === undefined ? undefined : await samePlan(options, input.plan_id, input)
      const answers = input.cluster === undefined ? new Map() : await askProxies(input.cluster)
      const job = await writes.run(caller, async (tx) => {
        await lockJobs(tx)
        const wanted = await wantedTargets(tx, store, kind, input, answers)
        const planned = [...(reviewed?.plans.keys() ?? wanted.targets)]
        if (!isDeepStrictEqual(planned.toSorted(byNumber), wanted.targets.toSorted(byNumber))) throw otherNodes()
        const options = {
          dryRun: input.dry_run,
          returnTo: input.generation ?? null,
          reviewed: reviewed ?? null,
          confirmWithinS: input.confirm_within_s ?? null,
        }
        const result = await store.insert(tx, { ...wanted, ...options })
        if (!input.dry_run) for (const { nodeId } of wanted.leftOut) await leaveOut(tx, nodeId)
        return { result, audit: auditOf(kind, 'create', result, input) }
      })
      wake()
      return job
    },
    async cancel(id, caller) {
      const job = await cancel(options, id, caller)
      wake()
      return job
    },
    async confirm(id, caller) {
      const job = await confirm(options, id, caller)
      const nodes = job.targets.flatMap((target) => ('node' in target ? [target.node] : []))
      for (const uri of nodes) await options.sendDesired(idOfRelation('nodes', uri) ?? 0)
      return job
    },
  }
}

const watchPeriodMs = 500

async function* watchJob(read: () => Promise<Job>, signal: AbortSignal): AsyncGenerator<Job> {
  const readJob = async () => new Map([[0, await read()]])
  const options = { read: readJob, isSame: isDeepStrictEqual, gone: () => undefined, periodMs: watchPeriodMs }
  for await (const [job] of watch<Job>(options, signal)) {
    if (job !== undefined) yield job
    if (job === undefined || job.finished !== null) return
  }
}

function cancel({ kind, store, writes }: JobServiceOptions, id: number, caller: Caller): Promise<Job> {
  return writes.run(caller, async (tx) => {
    const { record, now } = found(await store.findForUpdate(tx, id))
    if (record.finished !== null) throw new RoostError('conflict', 'This deployment has ended already.')
    const waiting = now.targets.filter(({ begun, state }) => !begun && state === 'waiting')
    if (waiting.length === 0 && now.targets.length > 0)
      throw new RoostError('conflict', 'All nodes have already started this deployment, so it cannot be canceled.')
    const message = `Canceled by ${caller.operator}.`
    for (const { nodeId } of waiting) await store.updateTarget(tx, id, nodeId, { state: 'failed', message })
    const { record: result } = found(await store.findForUpdate(tx, id))
    return { result, audit: auditOf(kind, 'cancel', result) }
  })
}

/** The nodes keep what they have applied. The job ends when they have received that. */
function confirm({ kind, store, writes, now: time }: JobServiceOptions, id: number, caller: Caller): Promise<Job> {
  return writes.run(caller, async (tx) => {
    const { record, now } = found(await store.findForUpdate(tx, id))
    if (record.finished !== null) throw new RoostError('conflict', 'This deployment has ended already.')
    if (record.confirm_within_s === null)
      throw new RoostError('conflict', 'This deployment needs no confirmation: it has no confirm_within_s.')
    if (!now.targets.every(({ state }) => endedStates.includes(state)))
      throw new RoostError('conflict', 'Not all nodes have ended this deployment yet. Confirm it when they have.')
    await store.confirm(tx, id, new Date(time()))
    const { record: result } = found(await store.findForUpdate(tx, id))
    return { result, audit: auditOf(kind, 'confirm', result) }
  })
}

/** The reviewed plan must still be what would be done, for the same target. Nodes that start later are asked again. */
async function samePlan({ kind, store, plan }: JobServiceOptions, id: string, input: JobInput): Promise<ReviewedPlans> {
  const planned = await store.findPlanned(id)
  if (planned === undefined || (planned.record.node ?? planned.record.cluster) !== targetUri(input))
    throw fieldError({ plan_id: ['There is no plan with this id for this target. Create one with dry_run.'] })
  const { reviewed } = planned
  const asked = [...reviewed.plans].map(async ([nodeId, one]) => {
    const now = await plan(kind, nodeId, input.generation ?? null)
    return 'error' in now ? now.error : movedSince(one, now)
  })
  const moved = (await Promise.all(asked)).find((sentence) => sentence !== undefined)
  if (moved !== undefined) throw new RoostError('conflict', moved)
  return reviewed
}

function otherNodes(): RoostError {
  return new RoostError(
    'conflict',
    'The nodes of the cluster have changed since the plan was made. Create a new plan with dry_run and review it.',
  )
}

const byNumber = (one: number, other: number) => one - other

/** Returns the audit event of a change of a job. */
export function auditOf(kind: DeploymentKind, action: AuditAction, job: Job, input?: JobInput) {
  const { node, cluster } = job
  const asked = {
    node,
    cluster,
    dry_run: job.dry_run || null,
    plan_id: input?.plan_id,
    generation: input?.generation,
    confirm_within_s: input?.confirm_within_s,
  }
  const changes = Object.entries(asked).filter(([, value]) => value != null)
  return {
    action,
    resource: deploymentKinds[kind].resource,
    resourceId: Number(job.id),
    changes: Object.fromEntries(changes.map(([field, value]) => [field, [null, value]])),
  }
}
