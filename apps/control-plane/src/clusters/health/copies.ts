interface Entry<K, T> {
  readonly name: K
  readonly copy: T
  /** URI of the node that has the copy. */
  readonly node: string
}

export type Copies<T> = (T & { readonly nodes: string[] })[]

/** Returns the different copies of each name with their nodes, the most frequent copy first. */
export function groupCopies<K, T extends object>(
  entries: readonly Entry<K, T>[],
): readonly (readonly [K, Copies<T>])[] {
  const byName = new Map<K, Map<string, Copies<T>[number]>>()
  for (const { name, copy, node } of entries) {
    const copies = byName.get(name) ?? new Map<string, Copies<T>[number]>()
    const key = JSON.stringify(copy)
    const known = copies.get(key) ?? { ...copy, nodes: [] }
    known.nodes.push(node)
    byName.set(name, copies.set(key, known))
  }
  return [...byName]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, copies]) => [name, [...copies.values()].toSorted((a, b) => b.nodes.length - a.nodes.length)])
}
