import { isRefused } from './database.js'

/**
 * Writes a batch. One whose values the database refuses is written in halves until only the poison is left, which is
 * dropped: else it would keep everything behind it from being stored, for ever. Any other failure rejects, for the
 * caller to keep the batch and repeat it; so `write` must allow repetition.
 */
export async function writeWithoutPoison<T>(
  items: readonly T[],
  write: (part: readonly T[]) => Promise<void>,
  dropped: (item: T, error: unknown) => void,
): Promise<void> {
  try {
    await write(items)
  } catch (error) {
    const [first] = items
    if (!isRefused(error) || first === undefined) throw error
    if (items.length === 1) return dropped(first, error)
    const middle = items.length >> 1
    await writeWithoutPoison(items.slice(0, middle), write, dropped)
    await writeWithoutPoison(items.slice(middle), write, dropped)
  }
}
