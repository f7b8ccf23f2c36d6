/** Rows that are removed in one statement: a moment's work, so that nobody waits behind it. */
const rowsAtOnce = 10_000
/** Rounds of one run: whoever ends the control plane waits for them. */
const roundsAtOnce = 50

/** Calls `remove`, which answers how many rows it removed of those asked for, until nothing is left or the run is long enough. */
export async function removeInBatches(remove: (rows: number) => Promise<number>): Promise<void> {
  for (let round = 0; round < roundsAtOnce; round++) if ((await remove(rowsAtOnce)) === 0) return
}
