import type { Copies } from './copies.js'

/** A node whose copy is not that of the majority. */
export interface Deviation<T> {
  /** URI of the node. */
  readonly node: string
  readonly copy: T
  /** The most frequent copy; the next one for nodes that have it, where no copy has a majority. */
  readonly other: T
  readonly others: number
}

/** Returns the nodes that deviate from the most frequent copy; all nodes where two copies are equally frequent. */
export function deviations<T>(copies: Copies<T>): readonly Deviation<T>[] {
  const [most, next] = copies
  if (most === undefined || next === undefined) return []
  const isTie = next.nodes.length === most.nodes.length
  return copies.flatMap((copy) => {
    if (copy === most && !isTie) return []
    const other = copy === most ? next : most
    return copy.nodes.map((node) => ({ node, copy, other, others: other.nodes.length }))
  })
}
