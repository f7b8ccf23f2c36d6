import type { DesiredState } from '@roost/api-types/agent'
import { idOfRelation, resourceUri } from '@roost/api-types/rest'
import type { SharePreview } from '@roost/api-types/rest'
import type { Services, SharePreviewService } from '@roost/api-types/rpc'
import type { Clock } from '@roost/runtime'
import type { Transaction } from '../database/transaction.js'
import { Validated } from '../database/validated.js'
import type { Writes } from '../database/writes.js'
import type { Secrets } from '../secrets/secrets.js'
import type { PlanQueue } from './plan-queue.js'
import { orUnavailable, within } from './plan-wait.js'
import { createShareService } from './service.js'
import type { ShareStore } from './store.js'

export interface SharePreviewOptions {
  readonly store: ShareStore
  readonly secrets: Secrets
  readonly transaction: <T>(work: (tx: Transaction) => Promise<T>) => Promise<T>
  /** What a deployment would bring the gateway to now, or why that is not known. */
  readonly desired: (
    tx: Transaction,
    nodeId: number,
  ) => Promise<{ readonly payload: string } | { readonly error: string }>
  readonly plans: PlanQueue
  readonly clock: Pick<Clock, 'after'>
}

type Shares = Services['gatewayShares']

/** Asks a gateway for its plan as if a share were stored: it is, in a transaction that is always rolled back. */
export function createSharePreview(options: SharePreviewOptions): SharePreviewService {
  const preview = (
    signal: AbortSignal,
    write: (shares: Shares) => Promise<{ readonly node: string }>,
  ): Promise<SharePreview> => {
    let isAwaited = true
    const planned = async () => {
      const { nodeId, state } = await desiredWith(options, write)
      const { payload } = orUnavailable(state)
      const desired = JSON.parse(payload) as DesiredState
      const answer = await options.plans.ask(nodeId, desired, () => isAwaited && !signal.aborted)
      return { node: resourceUri('nodes', nodeId), ...orUnavailable(answer).result }
    }
    return within(options.clock, planned()).finally(() => {
      isAwaited = false
    })
  }
  return {
    ofNew: (input, caller, signal) => preview(signal, (shares) => shares.create(input, caller)),
    ofChange: (id, change, caller, signal) => preview(signal, (shares) => shares.change(id, change, caller)),
  }
}

/** Returns the state of a gateway with a share that is written by the rules of every write. Nothing of it is kept. */
async function desiredWith(
  { store, secrets, transaction, desired }: SharePreviewOptions,
  write: (shares: Shares) => Promise<{ readonly node: string }>,
) {
  return rolledBack(transaction, async (tx) => {
    const writes: Writes = { run: async (_caller, work) => (await work(tx)).result }
    const { node } = await write(createShareService({ store: withoutNumbers(store), writes, secrets }))
    const nodeId = idOfRelation('nodes', node) ?? 0
    return { nodeId, state: await desired(tx, nodeId) }
  })
}

/** A new share gets the id that the next one will have, which a sequence would use up. */
function withoutNumbers(store: ShareStore): ShareStore {
  return {
    ...store,
    insert: async (tx, settings, location, control) =>
      store.insert(tx, settings, location, control, await store.nextId(tx)),
  }
}

async function rolledBack<T>(
  transaction: SharePreviewOptions['transaction'],
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const results: T[] = []
  try {
    await transaction(async (tx) => {
      results.push(await work(tx))
      throw new Validated(undefined)
    })
  } catch (error) {
    if (!(error instanceof Validated)) throw error
  }
  const [result] = results
  if (result === undefined) throw new Error('A preview without a result')
  return result
}
