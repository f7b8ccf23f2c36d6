import { CommandError, exitCodes } from '../terminal/exit-codes.js'

/** Collects the faults of files and of their plan, so that all of them are reported at once. */
export class Faults {
  readonly #sentences: string[] = []
  #exitCode: number = exitCodes.usage

  add(sentence: string, exitCode: number = exitCodes.usage): void {
    this.#sentences.push(sentence)
    if (exitCode !== exitCodes.usage) this.#exitCode = exitCode
  }

  /** Throws if there were faults. */
  end(): void {
    if (this.#sentences.length === 0) return
    throw new CommandError(`${this.#sentences.join('\n')}\nNothing was changed.`, this.#exitCode)
  }
}
