/** Runs work in order, one at a time. A failure does not stop what follows. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve()

  run<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#last.then(work)
    this.#last = result.catch(() => {})
    return result
  }

  /** Resolves once everything that is queued now has ended. */
  async settled(): Promise<void> {
    await this.#last
  }
}
