import { keepHelper } from './helper.js'
import type { StartHelper } from './helper.js'
import { parseStatfs } from './statfs-values.js'
import type { StatfsValues } from './statfs-values.js'

export interface RoundOptions {
  readonly start: StartHelper
  readonly deadlineMs: number
}

export interface RoundAnswer {
  /** By path. A path without values is to be asked by itself. */
  readonly values: ReadonlyMap<string, StatfsValues>
  /** The path at which the helper hangs, until its process has ended. */
  readonly stuck?: { readonly path: string; readonly ended: Promise<void> }
}

export interface StatfsRound {
  /** Asks one round at a time. Never rejects. */
  ask(paths: readonly string[]): Promise<RoundAnswer>
  close(): void
}

// Prints the values, then the path, so wide that the C library has no room to keep an answer back: each is on its way before the
// next mount is asked, so that the first one without an answer is the one that hangs.
const script = `while read -r _; do stat -f -c '%S %b %f %a %c %d %-4200n' -- "$@"; echo .; done`
const shell = ['sh', '-c', script, 'roost-statfs'] as const

/**
 * Asks all mounts by one process in a round. That process belongs to a helper, which stays for as long as the mounts are the
 * same: `command`, with the paths as its further arguments.
 */
export function createStatfsRound(
  { start, deadlineMs }: RoundOptions,
  command: readonly [string, ...string[]] = shell,
): StatfsRound {
  const helper = keepHelper(start, command)
  return {
    async ask(paths) {
      // A line of an answer is one path.
      const askable = paths.filter((path) => !path.includes('\n'))
      if (askable.length === 0) return { values: new Map() }
      const { outcome, stdout, ended } = await helper.ask(askable, deadlineMs)
      const values = valuesIn(stdout, askable)
      if (outcome !== 'timed_out') return { values }
      const path = askable[askable.findLastIndex((path) => values.has(path)) + 1]
      return path === undefined ? { values } : { values, stuck: { path, ended } }
    },
    close: () => helper.close(),
  }
}

function valuesIn(stdout: string, paths: readonly string[]): Map<string, StatfsValues> {
  // A path may end in blanks itself.
  const byTrimmed = new Map(paths.map((path) => [path.trimEnd(), path]))
  const found = new Map<string, StatfsValues>()
  for (const line of stdout.split('\n')) {
    const [, text = '', name = ''] = /^((?:\d+ ){5}\d+) (.*)$/.exec(line) ?? []
    const path = byTrimmed.get(name.trimEnd())
    const values = parseStatfs(text)
    if (path !== undefined && values) found.set(path, values)
  }
  return found
}
