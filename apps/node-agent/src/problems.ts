import type { InventoryProblem } from '@roost/api-types/agent'

/** Problems that supervisors of this node find between inventories, such as those of mounts. */
export interface NodeProblems {
  /** Replaces all that `source` reported before. */
  set(source: string, problems: readonly InventoryProblem[]): void
  list(): readonly InventoryProblem[]
  /** Calls back when a problem appears or is solved; another message alone waits for the next inventory. */
  onChange(callback: () => void): () => void
}

export function createNodeProblems(): NodeProblems {
  const sources = new Map<string, readonly InventoryProblem[]>()
  const callbacks = new Set<() => void>()
  return {
    set(source, problems) {
      const before = keysOf(sources.get(source) ?? [])
      sources.set(source, problems)
      if (keysOf(problems) !== before) for (const callback of callbacks) callback()
    },
    list: () => [...sources.values()].flat(),
    onChange(callback) {
      callbacks.add(callback)
      return () => callbacks.delete(callback)
    },
  }
}

function keysOf(problems: readonly InventoryProblem[]): string {
  return problems
    .map(({ code, subject }) => `${code} ${subject}`)
    .toSorted()
    .join('\n')
}
