import { unfinishedStates } from '@roost/api-types/rest'
import type { IdentityPlan, TargetState } from '@roost/api-types/rest'
import type { Prisma } from '@roost/database'
import type { Database } from '../database/database.js'
import type { Transaction } from '../database/transaction.js'
import type { Secrets } from '../secrets/secrets.js'
import type { DesiredIdentity } from './desired.js'
import type { KeystoneLogin } from './keystone/login.js'
import { settingColumns } from './service-store.js'

/** A plan of a dry run, with the mark by which it is recognized. */
export interface MarkedPlan {
  readonly plan: IdentityPlan
  readonly mark: string
}

/** A job with its row locked. */
export interface IdentityJob {
  readonly id: number
  readonly clusterId: number
  readonly dryRun: boolean
  readonly state: TargetState
  readonly message: string
  /** How many processes have begun with it, this one included. */
  readonly attempts: number
  /** True: Keystone has it, and tokens of before had to end. */
  readonly isWaiting: boolean
  /** The plan that it applies. */
  readonly reviewed: MarkedPlan | undefined
}

export interface JobEnd {
  readonly state: TargetState
  readonly message: string
  readonly planned?: MarkedPlan & { readonly planId: string }
}

/** The identity service of a cluster with the users that belong into it. */
export interface IdentityToDeploy {
  readonly login: KeystoneLogin
  readonly desired: DesiredIdentity
}

export interface IdentityJobStore {
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>
  /** The cluster of a target, if that cluster has an identity service. */
  findCluster(target: {
    readonly node?: number | undefined
    readonly cluster?: number | undefined
  }): Promise<number | undefined>
  findPlanned(clusterId: number, planId: string): Promise<MarkedPlan | undefined>
  insertTarget(
    tx: Transaction,
    jobId: number,
    reviewed: (MarkedPlan & { readonly planId: string }) | null,
  ): Promise<void>
  isIdentityJob(id: number): Promise<boolean>
  /** Fails the target of a job that has not begun. Returns false if it has begun. */
  cancel(tx: Transaction, jobId: number, message: string): Promise<boolean>
  /** Without those that wait for a later time. */
  unfinished(now: Date): Promise<readonly number[]>
  /** Marks the job as begun; undefined when it has ended. */
  begin(tx: Transaction, id: number, at: Date): Promise<IdentityJob | undefined>
  /** Keeps a job unfinished until then. */
  wait(id: number, until: Date, message: string): Promise<void>
  end(tx: Transaction, id: number, end: JobEnd, at: Date): Promise<void>
  /** Undefined when the cluster has no identity service any more. Throws SecretError. */
  read(clusterId: number): Promise<IdentityToDeploy | undefined>
  /** Records what Keystone has of a user. */
  recordUser(
    userId: number,
    known: { readonly projectId: string; readonly login: string; readonly passwordRevision: number },
  ): Promise<void>
}

const unfinished = { in: [...unfinishedStates] }

export function createIdentityJobStore({ prisma }: Database, secrets: Secrets): IdentityJobStore {
  return {
    transaction: (work) => prisma.$transaction(work),
    ...reads(prisma, secrets),
    ...writes(),
    async wait(jobId, until, message) {
      await prisma.identityTarget.update({ where: { jobId }, data: { waitUntil: until, state: 'staged', message } })
    },
    recordUser: recordUser(prisma),
  }
}

function reads(prisma: Database['prisma'], secrets: Secrets) {
  return {
    async findCluster({ node, cluster }) {
      const where = node === undefined ? { id: cluster ?? 0 } : { nodes: { some: { id: node } } }
      return (await prisma.cluster.findFirst({ select: { id: true }, where: { ...where, identity: { isNot: null } } }))
        ?.id
    },
    async findPlanned(clusterId, planId) {
      const where = { planId, clusterId, dryRun: true, identityTarget: { isNot: null } }
      const row = await prisma.job.findFirst({ where, orderBy: { id: 'desc' }, include: { identityTarget: true } })
      return planOf(row?.identityTarget)
    },
    async unfinished(now) {
      const isDue = { OR: [{ waitUntil: null }, { waitUntil: { lte: now } }] }
      const where = { state: unfinished, identityTarget: { is: isDue } }
      return (await prisma.job.findMany({ select: { id: true }, where, orderBy: { id: 'asc' } })).map(({ id }) => id)
    },
    isIdentityJob: async (jobId) => (await prisma.identityTarget.count({ where: { jobId } })) > 0,
    read: (clusterId) => readIdentity(prisma, secrets, clusterId),
  } satisfies Partial<IdentityJobStore>
}

function writes() {
  return {
    async insertTarget(tx, jobId, reviewed) {
      await tx.identityTarget.create({
        data: { jobId, state: 'waiting', ...(reviewed === null ? {} : columnsOf(reviewed)) },
      })
      if (reviewed !== null) await tx.job.update({ where: { id: jobId }, data: { planId: reviewed.planId } })
    },
    async cancel(tx, jobId, message) {
      const where = { jobId, begun: false, state: 'waiting' }
      return (await tx.identityTarget.updateMany({ where, data: { state: 'failed', message } })).count > 0
    },
    async begin(tx, id, at) {
      await tx.$queryRaw`select id from jobs where id = ${id} for update`
      const row = await tx.job.findUnique({ where: { id, state: unfinished }, include: { identityTarget: true } })
      if (row === null || row.identityTarget === null) return undefined
      const { state, message, waitUntil } = row.identityTarget
      const isWaiting = waitUntil !== null
      // To wait is no attempt.
      const attempts = row.identityTarget.attempts + (isWaiting ? 0 : 1)
      if (row.startedAt === null) await tx.job.update({ where: { id }, data: { state: 'IN_PROGRESS', startedAt: at } })
      await tx.identityTarget.update({ where: { jobId: id }, data: { begun: true, attempts } })
      const reviewed = row.dryRun ? undefined : planOf(row.identityTarget)
      const { clusterId, dryRun } = row
      return { id, clusterId, dryRun, state: state as TargetState, message, attempts, isWaiting, reviewed }
    },
    async end(tx, id, { state, message, planned }, at) {
      await tx.identityTarget.update({
        where: { jobId: id },
        data: { state, message, ...(planned === undefined ? {} : columnsOf(planned)) },
      })
      const isDone = state === 'applied' || state === 'planned'
      const end = { state: isDone ? 'COMPLETED_SUCCESS' : 'COMPLETED_FAILED', message, finishedAt: at }
      await tx.job.update({
        where: { id },
        data: { ...end, ...(planned === undefined ? {} : { planId: planned.planId }) },
      })
    },
  } satisfies Partial<IdentityJobStore>
}

function recordUser(prisma: Database['prisma']): IdentityJobStore['recordUser'] {
  return async (id, { projectId, login, passwordRevision }) => {
    // A user that was removed meanwhile is disabled by the next deployment.
    const data = { projectId, identityPasswordRevision: passwordRevision }
    await prisma.user.updateMany({ where: { id, adoptedIdentityUser: null }, data: { ...data, login } })
    await prisma.user.updateMany({ where: { id, adoptedIdentityUser: { not: null } }, data })
  }
}

function columnsOf({ plan, mark }: MarkedPlan) {
  return { plan: plan as unknown as Prisma.InputJsonObject, planMark: mark }
}

function planOf(
  row: { readonly plan: Prisma.JsonValue; readonly planMark: string | null } | null | undefined,
): MarkedPlan | undefined {
  if (row == null || row.plan === null || row.planMark === null) return undefined
  return { plan: row.plan as unknown as IdentityPlan, mark: row.planMark }
}

async function readIdentity(
  prisma: Database['prisma'],
  secrets: Secrets,
  id: number,
): Promise<IdentityToDeploy | undefined> {
  const row = await prisma.cluster.findUnique({
    where: { id },
    include: {
      identity: { select: { ...settingColumns, key: true } },
      users: { orderBy: { id: 'asc' } },
      removedAdoptions: { where: { projectId: { not: null } }, orderBy: { source: 'asc' } },
    },
  })
  if (row === null || row.identity === null) return undefined
  const { key, domain, role, resellerRole, ...login } = row.identity
  const users = row.users.map((user) => ({
    id: user.id,
    name: user.name,
    isSuperuser: user.isSuperuser,
    enabled: user.enabled,
    password: user.password === null ? null : secrets.open('user-password', user.password, `'${user.name}'`),
    passwordRevision: user.passwordRevision,
    knownPasswordRevision: user.identityPasswordRevision,
    projectId: user.projectId,
    adoptedId: user.adoptedIdentityUser,
  }))
  const removed = row.removedAdoptions.map(({ login: name, source: userId, projectId }) => ({
    name,
    userId,
    projectId: projectId ?? '',
  }))
  return {
    login: { ...login, key: secrets.open('identity-key', key) },
    desired: { clusterId: id, owner: row.uuid, domain, role, resellerRole, users, removed },
  }
}
