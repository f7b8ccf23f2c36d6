import { resourceUri, RoostError } from '@roost/api-types/rest'
import type { Job, JobInput } from '@roost/api-types/rest'
import type { Caller, JobService } from '@roost/api-types/rpc'
import { lockInserts } from '../database/insert-order.js'
import type { Transaction } from '../database/transaction.js'
import type { Writes } from '../database/writes.js'
import { auditOf } from '../deployments/service.js'
import { found } from '../services/errors.js'
import { fieldError } from '../services/field-errors.js'
import type { IdentityJobStore } from './job-store.js'
import { changedSince } from './planner.js'
import type { IdentityPlanner } from './planner.js'

/** The jobs of user databases, as their store has them. */
export interface UserDbJobs {
  findUnfinished(tx: Transaction, clusterId: number, nodeId: null): Promise<number | undefined>
  insert(
    tx: Transaction,
    job: {
      readonly nodeId: null
      readonly clusterId: number
      readonly dryRun: boolean
      readonly returnTo: null
      readonly targets: readonly number[]
      readonly leftOut: readonly never[]
      readonly reviewed: null
      readonly confirmWithinS: null
    },
  ): Promise<Job>
  findForUpdate(tx: Transaction, id: number): Promise<{ readonly record: Job } | undefined>
}

export interface IdentityJobsOptions {
  /** Deploys to the proxies of clusters without an identity service. */
  readonly base: JobService
  readonly jobs: UserDbJobs
  readonly store: IdentityJobStore
  readonly writes: Writes
  readonly plan: IdentityPlanner
  readonly wake: () => void
}

/** Deployments of users: to Keystone where the cluster has its users there, else to its proxies. */
export function createIdentityJobs(options: IdentityJobsOptions): JobService {
  const { base, store, wake } = options
  return {
    ...base,
    async create(input, caller) {
      const clusterId = await store.findCluster(input)
      if (clusterId === undefined) return base.create(input, caller)
      const job = await create(options, clusterId, input, caller)
      wake()
      return job
    },
    async cancel(id, caller) {
      if (!(await store.isIdentityJob(id))) return base.cancel(id, caller)
      const job = await cancel(options, id, caller)
      wake()
      return job
    },
  }
}

async function create(
  { jobs, store, writes, plan }: IdentityJobsOptions,
  clusterId: number,
  input: JobInput,
  caller: Caller,
): Promise<Job> {
  if (input.node !== undefined)
    throw fieldError({ node: ['The users of this cluster are in Keystone. Give its cluster instead of a node.'] })
  if (input.confirm_within_s !== undefined)
    throw fieldError({
      confirm_within_s: ['The users of this cluster are in Keystone, which does not return to a former state.'],
    })
  const reviewed = input.plan_id === undefined ? null : await samePlan(store, plan, clusterId, input.plan_id)
  return writes.run(caller, async (tx) => {
    await lockInserts(tx, 'jobs')
    await requireNoUnfinished(jobs, tx, clusterId)
    const empty = { nodeId: null, returnTo: null, targets: [], leftOut: [], reviewed: null, confirmWithinS: null }
    const id = Number((await jobs.insert(tx, { ...empty, clusterId, dryRun: input.dry_run })).id)
    await store.insertTarget(tx, id, reviewed)
    const { record: result } = found(await jobs.findForUpdate(tx, id))
    return { result, audit: auditOf('user_db', 'create', result, input) }
  })
}

/** Throws `conflict` while a deployment of users of the cluster is unfinished. */
export async function requireNoUnfinished(jobs: UserDbJobs, tx: Transaction, clusterId: number): Promise<void> {
  const unfinished = await jobs.findUnfinished(tx, clusterId, null)
  if (unfinished === undefined) return
  const uri = resourceUri('user_db_deployments', unfinished)
  throw new RoostError('conflict', `A deployment for the same target is not finished: see ${uri}.`)
}

/** The reviewed plan must still be what would be done. */
async function samePlan(store: IdentityJobStore, plan: IdentityPlanner, clusterId: number, planId: string) {
  const planned = await store.findPlanned(clusterId, planId)
  if (planned === undefined)
    throw fieldError({ plan_id: ['There is no plan with this id for this target. Create one with dry_run.'] })
  const now = await plan(clusterId)
  const moved = 'error' in now ? now.error : changedSince(planned, now)
  if (moved !== undefined) throw new RoostError('conflict', moved)
  return { ...planned, planId }
}

function cancel({ jobs, store, writes }: IdentityJobsOptions, id: number, caller: Caller): Promise<Job> {
  return writes.run(caller, async (tx) => {
    const { record } = found(await jobs.findForUpdate(tx, id))
    if (record.finished !== null) throw new RoostError('conflict', 'This deployment has ended already.')
    if (!(await store.cancel(tx, id, `Canceled by ${caller.operator}.`)))
      throw new RoostError(
        'conflict',
        'Keystone is already being changed by this deployment, so it cannot be canceled.',
      )
    const { record: result } = found(await jobs.findForUpdate(tx, id))
    return { result, audit: auditOf('user_db', 'cancel', result) }
  })
}
