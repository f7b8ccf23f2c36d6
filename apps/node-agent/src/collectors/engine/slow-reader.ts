import { assetPath } from '../../machine/package.js'
import { keepHelper, type KeptHelper, type StartHelper } from '../../machine/helper.js'
import type { Machine } from '../../machine/machine.js'
import type { RunCommand } from '../../machine/run-command.js'
import { parseSlowFiles, type SlowFile } from './slow-files.js'

/** Reads files that a device answers. Leaves out files that are missing or closed to the agent's user. Never rejects. */
export type ReadSlowly = (paths: readonly string[]) => Promise<ReadonlyMap<string, SlowFile>>

/** Reads the slow files of one collector. */
export interface SlowReader {
  readonly read: ReadSlowly
  close(): void
}

export interface SlowReaderOptions {
  readonly machine: Pick<Machine, 'root' | 'path'>
  readonly run: RunCommand
  readonly start: StartHelper
  readonly deadlineMs?: number
}

/** Limits the processes of one collector that hang at the same time. */
const maxChecks = 4
const maxCheckedBytes = 4 << 20

/** Opens readers: each collector has its own, so that a device that hangs stops one collector. */
export function slowReaders(options: SlowReaderOptions): () => SlowReader {
  return () => new HelperReader(options)
}

/**
 * Reads files in a helper process, because a read of a device can block for ever: in this process it would stop the event
 * loop, or one of the four threads that read files. A file without an answer is a suspect: a process of its own reads it from
 * then on, at most one at a time, until that process ends with an answer.
 */
class HelperReader implements SlowReader {
  readonly #options: SlowReaderOptions
  readonly #deadlineMs: number
  readonly #helper: KeptHelper
  readonly #suspects = new Set<string>()
  readonly #checks = new Set<string>()
  readonly #stopping = new AbortController()
  #last: Promise<unknown> = Promise.resolve()

  constructor(options: SlowReaderOptions) {
    this.#options = options
    this.#deadlineMs = options.deadlineMs ?? 3_000
    this.#helper = keepHelper(options.start, ['sh', assetPath('read-files.sh'), options.machine.root])
  }

  readonly read: ReadSlowly = (paths) => {
    // The helper accepts one question at a time.
    const answer = this.#last.then(() => this.#read(paths.filter((path) => !path.includes('\n'))))
    this.#last = answer
    return answer
  }

  close(): void {
    this.#stopping.abort()
    this.#helper.close()
  }

  async #read(paths: readonly string[]): Promise<ReadonlyMap<string, SlowFile>> {
    const files = await this.#ask(paths.filter((path) => !this.#suspects.has(path)))
    for (const path of paths.filter((each) => this.#suspects.has(each))) {
      files.set(path, { text: undefined, modifiedAt: Number.NaN, error: 'does not answer' })
      void this.#check(path)
    }
    return files
  }

  async #ask(paths: readonly string[]): Promise<Map<string, SlowFile>> {
    // A helper that starts after the end would stay.
    if (paths.length === 0 || this.#stopping.signal.aborted) return new Map()
    const { path: realPath } = this.#options.machine
    const real = new Map(paths.map((path) => [realPath(path), path]))
    const { stdout } = await this.#helper.ask([...real.keys()], this.#deadlineMs)
    const { files, finished } = parseSlowFiles(stdout, real)
    // The first file without an end hangs, or is too large; those after it were not read.
    for (const path of [...real.values()].slice(finished)) {
      files.delete(path)
      this.#suspects.add(path)
    }
    return files
  }

  /** Reads a suspect in a process of its own. While that process exists, the file is skipped. */
  async #check(path: string): Promise<void> {
    if (this.#checks.has(path) || this.#checks.size >= maxChecks) return
    this.#checks.add(path)
    const { run, machine } = this.#options
    const result = await run('cat', ['--', machine.path(path)], {
      deadlineMs: this.#deadlineMs,
      maxOutputBytes: maxCheckedBytes,
      signal: this.#stopping.signal,
    })
    if (result.outcome === 'exited') this.#suspects.delete(path)
    await result.ended
    this.#checks.delete(path)
  }
}
