/** Runs at most `width` tasks at a time; the others wait in order. Callers must bound how many wait. */
export class Gate {
  readonly #width: number
  #running = 0
  readonly #waiting: (() => void)[] = []

  constructor(width: number) {
    this.#width = width
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running >= this.#width) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else this.#running += 1
    try {
      return await work()
    } finally {
      const next = this.#waiting.shift()
      if (next) next()
      else this.#running -= 1
    }
  }
}
