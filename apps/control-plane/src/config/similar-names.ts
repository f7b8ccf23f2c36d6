const mostEdits = 3

/** Returns the name that differs from the given one by the fewest edits; undefined if all differ by more than three. */
export function mostSimilar(name: string, names: readonly string[]): string | undefined {
  const ranked = names.map((one) => ({ one, edits: editsBetween(name, one) }))
  const [best] = ranked.toSorted((a, b) => a.edits - b.edits)
  return best !== undefined && best.edits <= mostEdits ? best.one : undefined
}

/** Counts the characters to insert, remove or replace, by Levenshtein's algorithm. */
function editsBetween(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let row = 0; row < from.length; row++) {
    const current = [row + 1]
    for (let column = 0; column < to.length; column++) {
      const replaced = (previous[column] ?? 0) + (from[row] === to[column] ? 0 : 1)
      current.push(Math.min(replaced, (previous[column + 1] ?? 0) + 1, (current[column] ?? 0) + 1))
    }
    previous = current
  }
  return previous[to.length] ?? 0
}
