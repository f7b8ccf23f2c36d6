import { isDeepStrictEqual } from 'node:util'
import type { InventoryProblem } from '@roost/api-types/agent'

/** `problems`: one appears or is solved. `messages`: only their messages change, such as a number of files. */
export type ProblemChange = 'problems' | 'messages'

/** Problems that supervisors of this node find between inventories, such as those of mounts. */
export interface NodeProblems {
  /** Replaces all that `source` reported before. */
  set(source: string, problems: readonly InventoryProblem[]): void
  list(): readonly InventoryProblem[]
  /** Calls back after each change. The answer unsubscribes. */
  onChange(callback: (change: ProblemChange) => void): () => void
}

export function createNodeProblems(): NodeProblems {
  const sources = new Map<string, readonly InventoryProblem[]>()
  const callbacks = new Set<(change: ProblemChange) => void>()
  return {
    set(source, problems) {
      const change = changeOf(sources.get(source) ?? [], problems)
      sources.set(source, problems)
      if (change !== undefined) for (const callback of callbacks) callback(change)
    },
    list: () => [...sources.values()].flat(),
    onChange(callback) {
      callbacks.add(callback)
      return () => callbacks.delete(callback)
    },
  }
}

function changeOf(before: readonly InventoryProblem[], after: readonly InventoryProblem[]): ProblemChange | undefined {
  const differ = (textOf: (problem: InventoryProblem) => string) =>
    !isDeepStrictEqual(before.map(textOf).toSorted(), after.map(textOf).toSorted())
  if (differ(({ code, subject }) => `${code} ${subject}`)) return 'problems'
  return differ(({ code, subject, message }) => `${code} ${subject} ${message}`) ? 'messages' : undefined
}
