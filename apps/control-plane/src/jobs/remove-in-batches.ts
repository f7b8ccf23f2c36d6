/** Rows that one statement removes: few enough that other statements do not wait for it. */
const rowsAtOnce = 10_000
/** Rounds of one run: a shutdown waits for them. */
const roundsAtOnce = 50

/** Calls `remove` with a number of rows until it removes none, or the run is long enough. */
export async function removeInBatches(remove: (rows: number) => Promise<number>): Promise<void> {
  for (let round = 0; round < roundsAtOnce; round++) if ((await remove(rowsAtOnce)) === 0) return
}
