import { jobRules, JobState, unfinishedStates } from '@roost/api-types/rest'
import type { Job } from '@roost/api-types/rest'
import type { DeploymentKind } from '@roost/api-types/agent'
import type { Prisma } from '@roost/database'
import type { Transaction } from '../database/transaction.js'
import type { Database } from '../database/database.js'
import { lockInserts } from '../database/insert-order.js'
import { byCluster, byId, byNode, conditions, ordering } from '../database/listing.js'
import type { FilterTable, OrderTable } from '../database/listing.js'
import type { ReadStore } from '../services/reads.js'
import type { DividedProxies, ProxyAnswers } from '../services/proxies.js'
import type { JobNow } from './decide.js'
import type { ReviewedPlan } from './plan-id.js'
import { jobNow, jobRecord, plansOf, withTargets } from './job-records-store.js'
import { deploymentKinds } from './kinds.js'
import { updateTarget } from './target-store.js'
import type { TargetUpdate } from './target-store.js'

export interface NewJob {
  readonly nodeId: number | null
  readonly clusterId: number
  readonly dryRun: boolean
  readonly returnTo: number | null
  readonly targets: readonly number[]
  readonly leftOut: readonly NodeLeftOut[]
  /** The plans that must still hold when a target begins; null: whatever they are then. */
  readonly reviewed: ReviewedPlans | null
  /** Seconds; null: it needs no confirmation. */
  readonly confirmWithinS: number | null
}

/** A node that is no target, because of how its proxy authenticates. */
export interface NodeLeftOut {
  readonly nodeId: number
  readonly authentication: string
}

type ReadProxies = (tx: Transaction, clusterId: number, answers: ProxyAnswers) => Promise<DividedProxies>

export interface ReviewedPlans {
  readonly planId: string
  /** By node. */
  readonly plans: ReadonlyMap<number, ReviewedPlan>
}

/** A dry run as it ended. */
export interface PlannedJob {
  readonly record: Job
  readonly reviewed: ReviewedPlans
}

/** A job with its row locked. */
export interface LockedJob {
  readonly id: number
  readonly kind: DeploymentKind
  readonly clusterId: number
  readonly returnTo: number | null
  readonly confirmWithinS: number | null
  readonly now: JobNow
  /** By node: what must still hold when it begins. */
  readonly reviewed: ReadonlyMap<number, ReviewedPlan>
}

export interface TargetNode {
  readonly clusterId: number
  readonly hostname: string
  readonly hasRole: boolean
  readonly isGranted: boolean
}

export interface JobStore extends ReadStore<Job> {
  findNode(tx: Transaction, id: number): Promise<TargetNode | undefined>
  /** The approved nodes of the cluster that the kind concerns; undefined when there is no such cluster. */
  findTargets(
    tx: Transaction,
    clusterId: number,
    answers: ProxyAnswers,
  ): Promise<Pick<NewJob, 'targets' | 'leftOut'> | undefined>
  /** An unfinished job that concerns the node; null for the node: any of the cluster. */
  findUnfinished(tx: Transaction, clusterId: number, nodeId: number | null): Promise<number | undefined>
  insert(tx: Transaction, job: NewJob): Promise<Job>
  /** The last dry run that made these plans. */
  findPlanned(planId: string): Promise<PlannedJob | undefined>
  /** Whether the generation of the node is kept, to return to it. */
  hasGeneration(tx: Transaction, nodeId: number, generation: number): Promise<boolean>
  /** Undefined when another process works on it, or it has ended. */
  lock(tx: Transaction, id: number): Promise<LockedJob | undefined>
  findForUpdate(tx: Transaction, id: number): Promise<{ readonly record: Job; readonly now: JobNow } | undefined>
  updateTarget(tx: Transaction, jobId: number, nodeId: number, update: TargetUpdate): Promise<void>
  /** The generations of the targets that wait for it need no confirmation any more. */
  confirm(tx: Transaction, id: number, at: Date): Promise<void>
  planMarks(tx: Transaction, jobId: number): Promise<readonly string[]>
  begin(tx: Transaction, id: number, at: Date): Promise<void>
  finish(
    tx: Transaction,
    id: number,
    end: { state: string; message: string; at: Date; planId: string | null },
  ): Promise<void>
}

const filters: FilterTable<typeof jobRules, Prisma.JobWhereInput> = {
  ...byId,
  ...byNode,
  ...byCluster,
  state: (states) => ({ state: { in: states } }),
}

const orders: OrderTable<typeof jobRules, Prisma.JobOrderByWithRelationInput> = {
  id: (id) => ({ id }),
  state: (state) => ({ state }),
  created: (createdAt) => ({ createdAt }),
  started: (startedAt) => ({ startedAt }),
  finished: (finishedAt) => ({ finishedAt }),
}

/** A job of a cluster is of none of the nodes that are named. */
const ofCluster = { nodeId: null }
const negations = {
  unset: { node: ofCluster, node__id: ofCluster, node__hostname: ofCluster },
  known: { state: JobState.options },
}

const unfinished = { in: [...unfinishedStates] }

/** The jobs of one kind. */
export function createJobStore({ prisma }: Database, kind: DeploymentKind, readProxies: ReadProxies): JobStore {
  return { ...jobReads(prisma, kind), ...jobTargets(kind, readProxies), ...jobWrites(kind) }
}

function jobReads(prisma: Database['prisma'], kind: DeploymentKind) {
  return {
    async list(query) {
      const wanted = conditions(jobRules, filters, query.filters, negations)
      // Old clients ask this list whether something still runs: what has ended is shown to those who ask by its state.
      const asksForState = query.filters.some(({ field }) => field === 'state')
      const where = { AND: [{ kind }, ...(asksForState ? [] : [{ state: unfinished }]), ...wanted] }
      const orderBy = ordering(jobRules, orders, query.order)
      const [rows, total] = await Promise.all([
        prisma.job.findMany({ where, orderBy, skip: query.offset, take: query.limit, include: withTargets }),
        prisma.job.count({ where }),
      ])
      return { objects: rows.map(jobRecord), total }
    },
    async find(id) {
      const row = await prisma.job.findUnique({ where: { id, kind }, include: withTargets })
      return row === null ? undefined : jobRecord(row)
    },
    async findMany(ids) {
      return (await prisma.job.findMany({ where: { id: { in: [...ids] }, kind }, include: withTargets })).map(jobRecord)
    },
    async findPlanned(planId) {
      const where = { planId, kind, dryRun: true }
      const row = await prisma.job.findFirst({ where, orderBy: { id: 'desc' }, include: withTargets })
      return row === null ? undefined : { record: jobRecord(row), reviewed: { planId, plans: plansOf(row) } }
    },
  } satisfies Partial<JobStore>
}

/** The targets of a new job, and the targets of unfinished ones. */
function jobTargets(kind: DeploymentKind, readProxies: ReadProxies) {
  const { role, grant } = deploymentKinds[kind]
  return {
    async findNode(tx, id) {
      const node = await tx.node.findUnique({ where: { id }, include: { role: true } })
      if (node === null) return undefined
      const { clusterId, hostname, rolesGranted } = node
      return { clusterId, hostname, hasRole: node.role?.[role] ?? false, isGranted: rolesGranted.includes(grant) }
    },
    async findTargets(tx, clusterId, answers) {
      if ((await tx.cluster.count({ where: { id: clusterId } })) === 0) return undefined
      if (kind === 'user_db') {
        const { targets, leftOut } = await readProxies(tx, clusterId, answers)
        return {
          targets: targets.map(({ id }) => id),
          leftOut: leftOut.map(({ id, proxyAuthentication }) => ({ nodeId: id, authentication: proxyAuthentication })),
        }
      }
      const where = { clusterId, enabled: true, role: { [role]: true }, rolesGranted: { has: grant } }
      const nodes = await tx.node.findMany({ select: { id: true }, where, orderBy: { id: 'asc' } })
      return { targets: nodes.map(({ id }) => id), leftOut: [] }
    },
    async hasGeneration(tx, nodeId, generation) {
      return (await tx.generation.count({ where: { nodeId, kind, generation } })) > 0
    },
    async findUnfinished(tx, clusterId, nodeId) {
      const concerned = nodeId === null ? [{ clusterId }] : [{ nodeId: null, clusterId }, { nodeId }]
      const row = await tx.job.findFirst({ select: { id: true }, where: { kind, state: unfinished, OR: concerned } })
      return row?.id
    },
  } satisfies Partial<JobStore>
}

function jobWrites(kind: DeploymentKind) {
  return {
    async insert(tx, { targets, leftOut, reviewed, ...job }) {
      const create = targets.map((nodeId) => waitingTarget(nodeId, reviewed?.plans.get(nodeId)))
      const data = {
        ...job,
        kind,
        state: 'QUEUED',
        planId: reviewed?.planId ?? null,
        targets: { create },
        leftOut: { create: [...leftOut] },
      }
      return jobRecord(await tx.job.create({ data, include: withTargets }))
    },
    lock: lockJob,
    async findForUpdate(tx, id) {
      await tx.$queryRaw`select id from jobs where id = ${id} for update`
      const row = await tx.job.findUnique({ where: { id, kind }, include: withTargets })
      return row === null ? undefined : { record: jobRecord(row), now: jobNow(row) }
    },
    updateTarget,
    async confirm(tx, id, confirmedAt) {
      await tx.job.update({ where: { id }, data: { confirmedAt } })
      await tx.$executeRaw`
        update generations g set confirm_within_s = null, former = null from job_targets t
         where t.job_id = ${id} and t.unconfirmed and g.kind = ${kind} and g.node_id = t.node_id and g.generation = t.generation`
    },
    async planMarks(tx, jobId) {
      const rows = await tx.jobTarget.findMany({ select: { planMark: true }, where: { jobId } })
      return rows.flatMap(({ planMark }) => planMark ?? [])
    },
    async begin(tx, id, startedAt) {
      await tx.job.update({ where: { id }, data: { state: 'IN_PROGRESS', startedAt } })
    },
    async finish(tx, id, { state, message, at, planId }) {
      const data = { state, message, finishedAt: at, ...(planId === null ? {} : { planId }) }
      await tx.job.update({ where: { id }, data })
    },
  } satisfies Partial<JobStore>
}

export function lockJobs(tx: Transaction): Promise<void> {
  return lockInserts(tx, 'jobs')
}

function waitingTarget(nodeId: number, reviewed: ReviewedPlan | undefined) {
  const target = { nodeId, state: 'waiting' }
  if (reviewed === undefined) return target
  return { ...target, plan: reviewed.plan as unknown as Prisma.InputJsonObject, planMark: reviewed.mark }
}

async function lockJob(tx: Transaction, id: number): Promise<LockedJob | undefined> {
  const [free] = await tx.$queryRaw<unknown[]>`
    select id from jobs where id = ${id} and state = any(${[...unfinishedStates]}) for update skip locked`
  if (free === undefined) return undefined
  const row = await tx.job.findUniqueOrThrow({ where: { id }, include: withTargets })
  return {
    id,
    kind: row.kind as DeploymentKind,
    clusterId: row.clusterId,
    returnTo: row.returnTo,
    confirmWithinS: row.confirmWithinS,
    now: jobNow(row),
    reviewed: row.dryRun ? new Map() : plansOf(row),
  }
}
