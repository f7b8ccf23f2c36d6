import { isDeepStrictEqual } from 'node:util'
import { nodeRules, RoostError } from '@roost/api-types/rest'
import type { Node, NodeChange } from '@roost/api-types/rest'
import type { Caller, ChangeOptions, NodeService } from '@roost/api-types/rpc'
import { differences } from '../database/writes.js'
import type { Writes } from '../database/writes.js'
import type { AuditRecord, Transaction } from '../database/transaction.js'
import { found } from '../services/errors.js'
import { assertFresh } from '../services/etag.js'
import { createReads } from '../services/reads.js'
import type { NodeStore, NodeUpdate, StoredNode } from './store.js'

/** The live sessions of nodes. */
export interface NodeSessions {
  isConnected(nodeId: number): boolean
  /** Ends what the node has open; it may not come back. */
  revoke(nodeId: number): void
}

export interface NodeCollaborators {
  readonly store: NodeStore
  readonly writes: Writes
  readonly sessions: NodeSessions
}

interface Wanted {
  readonly id: number
  readonly change: NodeChange
}

export function createNodeService({ store, writes, sessions }: NodeCollaborators): NodeService {
  const apply = async (tx: Transaction, { record, operatorFields }: StoredNode, change: NodeChange) =>
    store.update(tx, record.id, updateOf(record, operatorFields, change))

  return {
    ...createReads(store),
    change: (id, change, caller, options) =>
      writes.run(caller, async (tx) => {
        const [present] = await store.findManyForUpdate(tx, [id])
        const { record: before } = found(present)
        assertFresh(before, nodeRules, options?.ifMatch)
        const result = await apply(tx, found(present), change)
        return { result, audit: auditOf('change', id, differences(before, result)) }
      }),
    changeMany: (changes, caller) => writes.run(caller, async (tx) => changeAll(tx, changes)),
    remove: (id, caller, options) => remove(id, caller, options),
  }

  async function changeAll(tx: Transaction, changes: readonly Wanted[]) {
    const present = await store.findManyForUpdate(
      tx,
      changes.map(({ id }) => id),
    )
    const byId = new Map(present.map((node) => [node.record.id, node]))
    const result: Node[] = []
    const changed: Record<string, unknown> = {}
    for (const { id, change } of changes) {
      const before = found(byId.get(id))
      const after = await apply(tx, before, change)
      result.push(after)
      changed[id] = differences(before.record, after)
    }
    return { result, audit: auditOf('change', null, changed) }
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
      return { result: undefined, audit: auditOf('remove', id, differences(record, {})) }
    })
    sessions.revoke(id)
  }
}

function assertNoShares(hostname: string, shares: number): void {
  if (shares === 0) return
  throw new RoostError('conflict', `The node ${hostname} still has ${shares} shares: move or remove them first.`)
}

function auditOf(action: string, resourceId: number | null, changes: AuditRecord['changes']): AuditRecord {
  return { action, resource: 'nodes', resourceId, changes }
}

/** What is set to another value becomes the operator's. Old clients send whole records back: what is the same does not. */
function updateOf(record: Node, operatorFields: readonly string[], change: NodeChange): NodeUpdate {
  const { node_role: role = {}, ...fields } = change
  const moved = [...movedOf(record, fields), ...movedOf(record.node_role, role)]
  return {
    fields: definedOf(fields),
    role: definedOf(role),
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
