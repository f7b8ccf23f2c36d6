/** Runs the work of one key in order, and that of different keys at the same time. */
export class KeyedQueue<K> {
  readonly #last = new Map<K, Promise<unknown>>()

  run<T>(key: K, work: () => Promise<T>): Promise<T> {
    const result = (this.#last.get(key) ?? Promise.resolve()).then(work)
    const end = result
      .catch(() => {})
      .finally(() => {
        if (this.#last.get(key) === end) this.#last.delete(key)
      })
    this.#last.set(key, end)
    return result
  }

  /** Resolves once nothing is queued. */
  async idle(): Promise<void> {
    while (this.#last.size > 0) await Promise.all(this.#last.values())
  }
}
