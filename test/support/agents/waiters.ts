/** Promises that resolve when their conditions become true. The owner calls `check` after each event. */
export class Waiters {
  readonly #checks = new Set<() => void>()

  check(): void {
    for (const check of this.#checks) check()
  }

  /** `what` names the condition in the error when it does not become true in time. */
  until(condition: () => boolean, withinMs: number, what: string): Promise<void> {
    if (condition()) return Promise.resolve()
    return new Promise((resolve, reject) => {
      const check = () => {
        if (!condition()) return
        clearTimeout(timer)
        this.#checks.delete(check)
        resolve()
      }
      const timer = setTimeout(() => {
        this.#checks.delete(check)
        reject(new Error(`Waited ${withinMs} ms for: ${what}`))
      }, withinMs)
      this.#checks.add(check)
    })
  }
}
