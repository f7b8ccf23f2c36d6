import { isDeepStrictEqual } from 'node:util'
import { longestSilenceDays, nodeRules, RoostError } from '@roost/api-types/rest'
import type { AuditAction, ChangedNode, GrantableRole, Node, NodeChange } from '@roost/api-types/rest'
import type { Caller, ChangeOptions, NodeService } from '@roost/api-types/rpc'
import { counted } from '@roost/runtime'
import { differences } from '../database/writes.js'
import type { Writes } from '../database/writes.js'
import type { AuditRecord, Transaction } from '../database/transaction.js'
import { found } from '../services/errors.js'
import { assertFresh } from '../services/etag.js'
import { fieldError } from '../services/field-errors.js'
import { createReads } from '../services/reads.js'
import { grantedAfter } from './roles.js'
import type { NodeStore, NodeUpdate, StoredNode } from './store.js'

/** The live sessions of nodes. */
export interface NodeSessions {
  isConnected(nodeId: number): boolean
  /** Ends what the node has open; it may not come back. */
  revoke(nodeId: number): void
}

/** The deployments of nodes, as far as roles concern them. */
export interface NodeDeployments {
  /** Lists what the node has received passwords of in this role. */
  knownPasswords(tx: Transaction, nodeId: number, role: GrantableRole): Promise<readonly string[]>
  /** Sends what waited for the approval of a role. */
  sendDesired(nodeId: number): Promise<void>
}

/** What the maintenance of nodes changes. */
export interface NodeMaintenance {
  /** Unix milliseconds. */
  readonly now: () => number
  /** Makes their alerts silent, and audible again. */
  readonly silences: { refresh(at: Date, tx: Transaction): Promise<void> }
}

export interface NodeServiceOptions {
  readonly store: NodeStore
  readonly writes: Writes
  readonly sessions: NodeSessions
  readonly deployments: NodeDeployments
  readonly maintenance: NodeMaintenance
  readonly facets: NodeService['facets']
}

interface Wanted extends ChangeOptions {
  readonly id: number
  readonly change: NodeChange
}

export function createNodeService(options: NodeServiceOptions): NodeService {
  const { store, writes, sessions, deployments } = options
  return {
    ...createReads(store),
    facets: options.facets,
    async change(id, change, caller, { ifMatch } = {}) {
      let granted = false
      const answer = await writes.run(caller, async (tx) => {
        const [present] = await store.findManyForUpdate(tx, [id])
        assertFresh(found(present).record, nodeRules, ifMatch)
        const applied = await apply(options, tx, found(present), change)
        granted = applied.isGranted
        return { result: applied.answer, audit: auditOf('change', id, applied.audited, applied.answer.hostname) }
      })
      if (granted) await deployments.sendDesired(id)
      return answer
    },
    async changeMany(changes, caller) {
      let granted: readonly number[] = []
      const answers = await writes.run(caller, async (tx) => {
        const applied = await applyAll(options, tx, changes)
        granted = applied.filter(({ isGranted }) => isGranted).map(({ answer }) => answer.id)
        const changed = Object.fromEntries(applied.map(({ answer, audited }) => [answer.id, audited]))
        return { result: applied.map(({ answer }) => answer), audit: auditOf('change', null, changed) }
      })
      for (const id of granted) await deployments.sendDesired(id)
      return answers
    },
    remove: (id, caller, options) => remove(id, caller, options),
  }

  async function remove(id: number, caller: Caller, options: ChangeOptions & { readonly force?: boolean } = {}) {
    await writes.run(caller, async (tx) => {
      const [present] = await store.findManyForUpdate(tx, [id])
      const { record } = found(present)
      assertFresh(record, nodeRules, options.ifMatch)
      if (options.force !== true && (record.state === 'online' || sessions.isConnected(id)))
        throw new RoostError('conflict', `The node ${record.hostname} is online: stop its agent first, or use force.`)
      assertNoShares(record.hostname, await store.countShares(tx, id))
      await store.delete(tx, id)
      return { result: undefined, audit: auditOf('remove', id, differences(record, {}), record.hostname) }
    })
    sessions.revoke(id)
  }
}

interface Applied {
  readonly answer: ChangedNode
  readonly audited: AuditRecord['changes']
  /** A role was granted, so that its deployments reach the node from now on. */
  readonly isGranted: boolean
}

async function apply(
  { store, deployments, maintenance: { now, silences } }: NodeServiceOptions,
  tx: Transaction,
  { record, operatorFields }: StoredNode,
  change: NodeChange,
): Promise<Applied> {
  assertMaintenance(record, change, now())
  const result = await store.update(tx, record.id, updateOf(record, operatorFields, change))
  if (result.maintenance_until !== record.maintenance_until) await silences.refresh(new Date(now()), tx)
  const revoked = record.roles_granted.filter((role) => !result.roles_granted.includes(role))
  const known: string[] = []
  for (const role of revoked) known.push(...(await deployments.knownPasswords(tx, record.id, role)))
  return {
    answer: revoked.length === 0 ? result : { ...result, passwords_to_rotate: known },
    audited: differences(record, result),
    isGranted: result.roles_granted.some((role) => !record.roles_granted.includes(role)),
  }
}

async function applyAll(
  options: NodeServiceOptions,
  tx: Transaction,
  changes: readonly Wanted[],
): Promise<readonly Applied[]> {
  const present = await options.store.findManyForUpdate(
    tx,
    changes.map(({ id }) => id),
  )
  const byId = new Map(present.map((node) => [node.record.id, node]))
  const result: Applied[] = []
  for (const { id, change, ifMatch } of changes) {
    const before = found(byId.get(id))
    assertFresh(before.record, nodeRules, ifMatch)
    result.push(await apply(options, tx, before, change))
  }
  return result
}

function assertMaintenance(before: Node, { maintenance_until: until }: NodeChange, nowMs: number): void {
  if (until == null || Date.parse(until) === Date.parse(before.maintenance_until ?? '')) return
  if (Date.parse(until) <= nowMs) throw refuse('This time is past. null ends the maintenance.')
  if (Date.parse(until) - nowMs > longestSilenceDays * 86_400_000)
    throw refuse(`A maintenance may last at most ${longestSilenceDays} days.`)
}

function refuse(sentence: string): Error {
  return fieldError({ maintenance_until: [sentence] })
}

function assertNoShares(hostname: string, shares: number): void {
  if (shares === 0) return
  throw new RoostError(
    'conflict',
    `The node ${hostname} still has ${counted(shares, 'share')}. Move or remove its shares first.`,
  )
}

function auditOf(
  action: AuditAction,
  resourceId: number | null,
  changes: AuditRecord['changes'],
  name: string | null = null,
): AuditRecord {
  return { action, resource: 'nodes', resourceId, changes, name }
}

/** What is set to another value becomes the operator's. Old clients send whole records back: what is the same does not. */
function updateOf(record: Node, operatorFields: readonly string[], change: NodeChange): NodeUpdate {
  const { node_role: { id: _, ...role } = {}, ...fields } = change
  const moved = [...movedOf(record, fields), ...movedOf(record.node_role, role)]
  return {
    fields: definedOf(fields),
    role: definedOf(role),
    rolesGranted: grantedAfter(record, change),
    operatorFields: [...new Set([...operatorFields, ...moved])],
  }
}

function movedOf(present: object, wanted: object): string[] {
  const before: Readonly<Record<string, unknown>> = { ...present }
  return Object.entries(definedOf(wanted))
    .filter(([field, value]) => !isDeepStrictEqual(before[field], value))
    .map(([field]) => field)
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

function definedOf<T extends object>(fields: T): Defined<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<T>
}
