import type { Inventory, InventoryMessage } from '@roost/api-types/agent'
import { RoostError } from '@roost/api-types/rest'
import type { Log } from '../lifecycle/log.js'
import type { InventoryStore } from './inventory-store.js'

export interface InventoryIntakeOptions {
  readonly store: InventoryStore
  /** Notifies the features that keep devices in memory, because the devices of these nodes have changed. */
  readonly devicesChanged: (nodeId: number) => Promise<void>
  /** Sends the node the state that it must have. Never rejects. */
  readonly sendDesired: (nodeId: number) => Promise<void>
  readonly log: Log
  readonly now: () => number
}

export interface InventoryIntake {
  /** Resolves when the inventory is stored, now or earlier, so that the agent can delete it. */
  accept(nodeId: number, message: InventoryMessage): Promise<void>
}

export function createInventoryIntake({
  store,
  devicesChanged,
  sendDesired,
  log,
  now,
}: InventoryIntakeOptions): InventoryIntake {
  const reported = new Map<number, ReadonlySet<string>>()

  /** Logs a problem once, not with each inventory. */
  function logProblems(nodeId: number, problems: Inventory['problems']): void {
    const before = reported.get(nodeId)
    for (const { code, subject, message } of problems)
      if (before?.has(`${code} ${subject}`) !== true) log.warn({ nodeId, code, subject }, message)
    reported.set(nodeId, new Set(problems.map(({ code, subject }) => `${code} ${subject}`)))
  }

  return {
    async accept(nodeId, { sequence, inventory }) {
      checkKeys(inventory)
      const stored = await store.store(nodeId, sequence, inventory, new Date(now()))
      if (stored === undefined) return
      for (const changed of stored.nodeIds) await devicesChanged(changed)
      if (stored.isAskedAgain) await sendDesired(nodeId)
      logProblems(nodeId, inventory.problems)
    },
  }
}

/** Refuses keys that the database would refuse. */
function checkKeys({ devices, policies }: Inventory): void {
  const repeated =
    firstRepeated((devices ?? []).map(({ key }) => `the device ${key}`)) ??
    firstRepeated((policies ?? []).map(({ index }) => `the storage policy ${index}`))
  if (repeated !== undefined) throw new RoostError('invalid', `The inventory lists ${repeated} twice.`)
}

function firstRepeated(values: readonly string[]): string | undefined {
  return values.find((value, i) => values.indexOf(value) !== i)
}
