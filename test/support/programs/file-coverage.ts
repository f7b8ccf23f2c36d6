import type { Profiler } from 'node:inspector'
import { Session } from 'node:inspector/promises'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { repository } from '../http/control-plane.js'

/** Names the source of a compiled product file; undefined for any other script. */
function sourceOf(url: string): string | undefined {
  if (!url.startsWith('file:')) return undefined
  const path = relative(repository, fileURLToPath(url))
  if (/\/(testing|generated)\//.test(path) || !/^(apps|packages|prisma)\/(?!.*node_modules)/.test(path))
    return undefined
  return path
    .replace(/^prisma\/dist\//, 'prisma/')
    .replace('/dist/', '/src/')
    .replace(/\.js$/, '.ts')
}

/** Vitest exports each name by such a getter, which is no function of the file. */
const getterLength = 80

/** Counts which functions of product files run in this process, by V8's precise coverage. */
export class FileCoverage {
  readonly #session = new Session()

  static async start(): Promise<FileCoverage> {
    const coverage = new FileCoverage()
    coverage.#session.connect()
    await coverage.#session.post('Profiler.enable')
    await coverage.#session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
    return coverage
  }

  /** Returns the functions that ran since the last call, by source file. Code that runs on import does not count. */
  async read(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
    const { result } = await this.#session.post('Profiler.takePreciseCoverage')
    const files = new Map<string, ReadonlySet<string>>()
    for (const { url, functions } of result) {
      const file = sourceOf(url)
      const ran = functions.filter(isRun)
      if (file !== undefined && ran.length > 0)
        files.set(
          file,
          new Set(ran.map(({ functionName, ranges: [range] }) => `${functionName}@${range?.startOffset}`)),
        )
    }
    return files
  }

  stop(): void {
    this.#session.disconnect()
  }
}

function isRun({ functionName, ranges: [range] }: Profiler.FunctionCoverage): boolean {
  if (range === undefined || range.count === 0 || range.startOffset === 0) return false
  return functionName !== '' || range.endOffset - range.startOffset > getterLength
}

/** Returns the files in which a function ran in every one of the runs and not while the process was idle, in order. */
export function filesOfEach(
  runs: readonly ReadonlyMap<string, ReadonlySet<string>>[],
  idle: ReadonlyMap<string, ReadonlySet<string>>,
): readonly string[] {
  const [first = new Map<string, ReadonlySet<string>>(), ...others] = runs
  return [...first]
    .filter(([file, functions]) =>
      [...functions].some(
        (name) => idle.get(file)?.has(name) !== true && others.every((run) => run.get(file)?.has(name)),
      ),
    )
    .map(([file]) => file)
    .toSorted()
}
