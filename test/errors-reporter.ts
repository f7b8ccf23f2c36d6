import { writeFileSync } from 'node:fs'
import type { Reporter, SerializedError, TestModule } from 'vitest/node'

/** Writes a file where an error outside of the tests fails the run: no suite of the JSON report has it. */
export class ErrorsReporter implements Reporter {
  readonly #file: string

  constructor(file: string) {
    this.#file = file
  }

  onTestRunEnd(_modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    if (errors.length > 0) writeFileSync(this.#file, errors.map(({ message }) => `${message}\n`).join(''))
  }
}
