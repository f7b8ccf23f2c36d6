/** Which node belongs to which cluster. */
export interface Members {
  clusterOf(nodeId: number): number | undefined
  /** Ascending. */
  nodesOf(clusterId: number): readonly number[]
  clusters(): Iterable<number>
  readonly all: Iterable<number>
  add(nodeId: number, clusterId: number): void
  remove(nodeId: number): void
}

export function createMembers(): Members {
  const clusters = new Map<number, number>()
  const nodes = new Map<number, number[]>()
  const remove = (nodeId: number) => {
    const clusterId = clusters.get(nodeId)
    if (clusterId === undefined) return
    clusters.delete(nodeId)
    const rest = (nodes.get(clusterId) ?? []).filter((id) => id !== nodeId)
    if (rest.length > 0) nodes.set(clusterId, rest)
    else nodes.delete(clusterId)
  }
  return {
    clusterOf: (nodeId) => clusters.get(nodeId),
    nodesOf: (clusterId) => nodes.get(clusterId) ?? [],
    clusters: () => [...nodes.keys()],
    get all() {
      return clusters.keys()
    },
    add(nodeId, clusterId) {
      if (clusters.get(nodeId) === clusterId) return
      remove(nodeId)
      clusters.set(nodeId, clusterId)
      nodes.set(clusterId, insertSorted(nodes.get(clusterId) ?? [], nodeId))
    },
    remove,
  }
}

function insertSorted(ids: number[], id: number): number[] {
  const last = ids.at(-1)
  if (last === undefined || last < id) {
    ids.push(id)
    return ids
  }
  return ids.toSpliced(
    ids.findIndex((other) => other > id),
    0,
    id,
  )
}
