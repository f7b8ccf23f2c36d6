import type { IdentityPlan, IdentityState, PlannedObject } from '@roost/api-types/rest'
import { counted } from '@roost/runtime'
import type { Clock } from '@roost/runtime'

/** How a Keystone was when it was compared. */
export interface ComparedIdentity {
  readonly state: IdentityState
  /** What differs, or why it could not be read; empty where it agrees. */
  readonly detail: string
  /** Stands for the users and settings with which it agreed last; null: it never did. */
  readonly syncedMark: string | null
  readonly checkedAt: Date
}

export interface IdentityDriftStore {
  /** Lists clusters whose Keystone was compared before `comparedBefore`, or could not be read before `failedBefore`; none while a deployment changes it. */
  listDue(comparedBefore: Date, failedBefore: Date): Promise<readonly number[]>
  findSyncedMark(clusterId: number): Promise<string | null>
  /** Does nothing for a cluster that has no identity service any more. */
  save(clusterId: number, compared: ComparedIdentity): Promise<void>
}

/** What a deployment would change now. */
interface Planned {
  readonly plan: Pick<IdentityPlan, 'objects'>
  readonly changes: { readonly conflicts: readonly string[] }
  /** Stands for what Keystone should have. */
  readonly desiredMark: string
}

export interface IdentityDriftOptions {
  readonly store: IdentityDriftStore
  /** Compares the users of a cluster with its Keystone, or returns why that is not possible. */
  readonly plan: (clusterId: number) => Promise<Planned | { readonly error: string }>
  readonly clock: Clock
}

/** Compares the Keystones of clusters with what was deployed to them. */
export interface IdentityDrift {
  /**
   * Compares those that were not compared for ten minutes; one that could not be read, after a minute.
   * Throws the first failure of our own, once all have been tried.
   */
  compareDue(): Promise<void>
  /** Has the next call compare a cluster in any case. */
  compareSoon(clusterId: number): void
}

const compareEveryMs = 600_000
const retryEveryMs = 60_000

/** Conflicts, and changes, that a sentence names. */
const mostNamed = 5

export function createIdentityDrift({ store, plan, clock }: IdentityDriftOptions): IdentityDrift {
  const soon = new Set<number>()
  const compare = async (clusterId: number) => {
    soon.delete(clusterId)
    const planned = await plan(clusterId)
    const before = await store.findSyncedMark(clusterId)
    await store.save(clusterId, { ...comparedTo(before, planned), checkedAt: new Date(clock.now()) })
  }
  return {
    compareSoon: (clusterId) => void soon.add(clusterId),
    async compareDue() {
      const now = clock.now()
      const due = await store.listDue(new Date(now - compareEveryMs), new Date(now - retryEveryMs))
      const failures: unknown[] = []
      for (const id of new Set([...soon, ...due])) await compare(id).catch((cause: unknown) => failures.push(cause))
      if (failures.length > 0) throw failures[0]
    },
  }
}

/** Keystone has drifted if it differs, and Roost is as it was when they agreed; else the next deployment is pending. */
function comparedTo(
  syncedMark: string | null,
  planned: Planned | { readonly error: string },
): Omit<ComparedIdentity, 'checkedAt'> {
  if ('error' in planned) return { state: 'unreachable', detail: planned.error, syncedMark }
  const { objects } = planned.plan
  const { conflicts } = planned.changes
  if (objects.length === 0 && conflicts.length === 0)
    return { state: 'synced', detail: '', syncedMark: planned.desiredMark }
  const state = planned.desiredMark === syncedMark ? 'drifted' : 'pending'
  const named = conflicts.slice(0, mostNamed)
  const detail = [...named, ...othersThan(named, conflicts, 'conflict').map((more) => `And ${more}.`)]
  return { state, detail: [...detail, ...deploymentWould(objects)].join(' '), syncedMark }
}

function deploymentWould(objects: readonly PlannedObject[]): readonly string[] {
  if (objects.length === 0) return []
  const named = objects.slice(0, mostNamed).map(phraseOf)
  return [`A deployment would ${[...named, ...othersThan(named, objects, 'change')].join(', ')}.`]
}

/** Counts those that are not named; empty where all are. */
function othersThan(named: readonly unknown[], all: readonly unknown[], noun: string): readonly string[] {
  const others = all.length - named.length
  return others === 0 ? [] : [counted(others, `other ${noun}`)]
}

function phraseOf({ type, name, change, detail }: PlannedObject): string {
  if (change === 'grant' || change === 'revoke')
    return `${change} the role ${detail} ${change === 'grant' ? 'to' : 'of'} '${name}'`
  return change === 'set_password' ? `set the password of '${name}'` : `${change} the ${type} '${name}'`
}
