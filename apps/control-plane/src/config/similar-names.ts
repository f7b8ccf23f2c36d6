const mostEdits = 3

/** Returns the name that differs from the given one by the fewest edits; undefined if all differ by more than three. */
export function mostSimilar(name: string, names: readonly string[]): string | undefined {
  const ranked = names.map((one) => ({ one, edits: editsBetween(name, one) }))
  const [best] = ranked.toSorted((a, b) => a.edits - b.edits)
  return best !== undefined && best.edits <= mostEdits ? best.one : undefined
}

/** Counts the characters to insert, remove, replace or swap with the next one, by Levenshtein's algorithm. */
function editsBetween(from: string, to: string): number {
  const rows = [Array.from({ length: to.length + 1 }, (_, column) => column)]
  const edits = (row: number, column: number) => rows[row]?.[column] ?? Infinity
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    rows.push(current)
    for (let column = 1; column <= to.length; column++) {
      const [own, other] = [from[row - 1], to[column - 1]]
      const isSwapped = own === to[column - 2] && other === from[row - 2]
      current.push(
        Math.min(
          edits(row - 1, column - 1) + (own === other ? 0 : 1),
          edits(row - 1, column) + 1,
          edits(row, column - 1) + 1,
          isSwapped ? edits(row - 2, column - 2) + 1 : Infinity,
        ),
      )
    }
  }
  return edits(from.length, to.length)
}
