import type { Writable } from 'node:stream'

/** Standard output and standard error of a program. */
export interface ProgramOutput {
  /**
   * Waits until everything is written, and returns the exit code with which the process may then end: `process.exit` drops
   * what a pipe has not accepted yet. Output that could not be written, as on a full disk, makes a success a failure.
   */
  finish(exitCode: number): Promise<number>
}

/**
 * Watches the output of a program. A reader that closes its end of the pipe, as `head` does, is no failure: the program
 * completes its work quietly.
 */
export function watchOutput(out: Writable = process.stdout, err: Writable = process.stderr): ProgramOutput {
  let failure: Error | undefined
  for (const stream of [out, err])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') failure ??= error
    })
  return {
    async finish(exitCode) {
      await drained(out)
      if (failure !== undefined) err.write(`The output could not be written: ${failure.message}.\n`)
      await drained(err)
      return failure === undefined ? exitCode : exitCode || 1
    },
  }
}

/** The callback of a write comes after all earlier writes; of a stream that failed, with its error. */
function drained(stream: Writable): Promise<void> {
  return new Promise((resolve) => void stream.write('', () => resolve()))
}
