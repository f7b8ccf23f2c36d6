import type { NodeState, NodeStateChange } from '@roost/api-types/rpc'

interface Versioned {
  readonly node: NodeState
  /** The version of the log when it changed last. */
  readonly version: number
}

/** The states of all nodes and their changes, in versions. The newest changes are computed once for all readers. */
export class StateLog {
  #version = 0
  #nodes = new Map<number, Versioned>()
  /** Removed nodes with the version of their removal. */
  readonly #removed = new Map<number, number>()
  #newest: readonly NodeStateChange[] = []

  /** 0 until the states were read once. */
  get version(): number {
    return this.#version
  }

  /** Accepts what was read. Returns true if something has changed. */
  update(states: readonly NodeState[]): boolean {
    const version = this.#version + 1
    const changes: NodeStateChange[] = []
    const nodes = new Map<number, Versioned>()
    for (const node of states) {
      const last = this.#nodes.get(node.id)
      const change = changeOf(last?.node, node)
      if (change !== undefined) changes.push(change)
      nodes.set(node.id, change === undefined && last !== undefined ? last : { node, version })
    }
    const removed = [...this.#nodes.keys()].filter((id) => !nodes.has(id))
    changes.push(...removed.map((id) => ({ id, state: 'removed' }) as const))
    if (changes.length === 0 && this.#version > 0) return false
    for (const id of removed) this.#removed.set(id, version)
    this.#nodes = nodes
    this.#newest = changes
    this.#version = version
    return true
  }

  /** Returns what has changed after a version. A reader that missed versions gets all fields of the nodes that changed. */
  since(version: number): readonly NodeStateChange[] {
    if (version === this.#version - 1) return this.#newest
    const changed = [...this.#nodes.values()].filter((one) => one.version > version).map(({ node }) => node)
    const removed = [...this.#removed].filter(([, at]) => version > 0 && at > version).map(([id]) => id)
    return [...changed, ...removed.map((id) => ({ id, state: 'removed' }) as const)]
  }

  /** Forgets removals that every reader has seen. */
  forgetRemoved(oldestVersion: number): void {
    for (const [id, at] of this.#removed) if (at <= oldestVersion) this.#removed.delete(id)
  }
}

/** Returns the fields that differ, all of them for a new node; undefined if none does. */
function changeOf(last: NodeState | undefined, now: NodeState): NodeStateChange | undefined {
  if (last === undefined) return now
  const fields = (Object.keys(now) as (keyof NodeState)[]).filter((field) => now[field] !== last[field])
  if (fields.length === 0) return undefined
  return { id: now.id, ...Object.fromEntries(fields.map((field) => [field, now[field]])) }
}
