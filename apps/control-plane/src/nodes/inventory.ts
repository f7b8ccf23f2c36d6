import type { Inventory, InventoryMessage } from '@roost/api-types/agent'
import { RoostError } from '@roost/api-types/rest'
import type { Log } from '../lifecycle/log.js'
import type { InventoryStore } from './inventory-store.js'

export interface InventoryCollaborators {
  readonly store: InventoryStore
  /** Tells the features that keep devices in memory; the devices of these nodes are not what they were. */
  readonly devicesChanged: (nodeId: number) => Promise<void>
  readonly log: Log
  readonly now: () => number
}

export interface InventoryIntake {
  /** Resolves when the inventory is stored, or was before: then the agent forgets it. */
  take(nodeId: number, message: InventoryMessage): Promise<void>
}

export function createInventoryIntake({ store, devicesChanged, log, now }: InventoryCollaborators): InventoryIntake {
  const told = new Map<number, ReadonlySet<string>>()

  /** An operator reads of a problem once, and not with each inventory. */
  function tellProblems(nodeId: number, problems: Inventory['problems']): void {
    const before = told.get(nodeId)
    for (const { code, subject, message } of problems)
      if (before?.has(`${code} ${subject}`) !== true) log.warn({ nodeId, code, subject }, message)
    told.set(nodeId, new Set(problems.map(({ code, subject }) => `${code} ${subject}`)))
  }

  return {
    async take(nodeId, { sequence, inventory }) {
      checkKeys(inventory)
      const stored = await store.store(nodeId, sequence, inventory, new Date(now()))
      if (stored === undefined) return
      for (const changed of stored.nodeIds) await devicesChanged(changed)
      tellProblems(nodeId, inventory.problems)
    },
  }
}

/** What the database could not hold. */
function checkKeys({ devices, policies }: Inventory): void {
  const repeated =
    firstRepeated((devices ?? []).map(({ key }) => `the device ${key}`)) ??
    firstRepeated((policies ?? []).map(({ index }) => `the storage policy ${index}`))
  if (repeated !== undefined) throw new RoostError('invalid', `The inventory names ${repeated} twice.`)
}

function firstRepeated(values: readonly string[]): string | undefined {
  return values.find((value, i) => values.indexOf(value) !== i)
}
