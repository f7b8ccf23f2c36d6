import type { InventoryService } from '@roost/api-types/agent'
import type { Clock } from '@roost/runtime'

/** A server or daemon as one round saw it. Undefined state: too early to say, so that the former one stays. */
export type SeenService = Pick<InventoryService, 'name' | 'file' | 'address'> & {
  readonly state: InventoryService['state'] | undefined
}

/** The servers and daemons of Swift on this node with their states, also those that are up. */
export interface ServiceList {
  /** Replaces the list, and keeps since when each has its state. */
  set(seen: readonly SeenService[]): void
  list(): readonly InventoryService[]
  /** Calls back when the list has other services or states. The answer unsubscribes. */
  onChange(callback: () => void): () => void
}

export function createServiceList(clock: Pick<Clock, 'now'>): ServiceList {
  let services: readonly InventoryService[] = []
  const callbacks = new Set<() => void>()
  return {
    set(seen) {
      const before = new Map(services.map((one) => [keyOf(one), one]))
      const now = Math.floor(clock.now() / 1000)
      const next = seen.map(({ state, ...service }): InventoryService => {
        const known = before.get(keyOf(service))
        const next = state ?? known?.state ?? 'down'
        return { ...service, state: next, since: known?.state === next ? known.since : now }
      })
      const isSame = next.length === services.length && next.every((one) => before.get(keyOf(one))?.state === one.state)
      services = next
      if (!isSame) for (const callback of callbacks) callback()
    },
    list: () => services,
    onChange(callback) {
      callbacks.add(callback)
      return () => callbacks.delete(callback)
    },
  }
}

function keyOf({ name, file, address }: Pick<InventoryService, 'name' | 'file' | 'address'>): string {
  return `${name} ${file} ${address ?? ''}`
}
