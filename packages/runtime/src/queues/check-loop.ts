export interface CheckLoopOptions {
  readonly check: () => Promise<void>
  /** A check that fails does not end the loop: the next wake runs it again. */
  readonly onError: (error: unknown) => void
}

/** Runs a check each time it is woken, never twice at the same time. Wakes during a check are one more check after it. */
export class CheckLoop {
  readonly #options: CheckLoopOptions
  readonly #underWay = new Set<Promise<void>>()
  #isChecking = false
  #isAgain = false
  #isStopped = false

  constructor(options: CheckLoopOptions) {
    this.#options = options
  }

  wake(): void {
    if (this.#isStopped) return
    this.#isAgain = true
    if (!this.#isChecking) this.track(this.#run())
  }

  /** Adds work in the background that `stop` waits for. The work handles its own errors. */
  track(work: Promise<void>): void {
    this.#underWay.add(work)
    void work.finally(() => this.#underWay.delete(work))
  }

  /** Resolves when nothing is under way; nothing begins after it. */
  async stop(): Promise<void> {
    this.#isStopped = true
    while (this.#underWay.size > 0) await Promise.all(this.#underWay)
  }

  async #run(): Promise<void> {
    this.#isChecking = true
    while (this.#isAgain && !this.#isStopped) {
      this.#isAgain = false
      await this.#options.check().catch((error: unknown) => this.#options.onError(error))
    }
    this.#isChecking = false
  }
}
