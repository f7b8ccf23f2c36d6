import { errorText } from './text/error-text.js'

/** Does it for all, a few at a time. Answers the faults; the others are done. */
export async function inParallel<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<readonly { readonly item: T; readonly error: Error }[]> {
  const waiting = [...items]
  const faults: { readonly item: T; readonly error: Error }[] = []
  const worker = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      try {
        await work(item)
      } catch (error) {
        faults.push({ item, error: error instanceof Error ? error : new Error(errorText(error)) })
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, worker))
  return faults
}
