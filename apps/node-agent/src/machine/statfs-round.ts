import { keepHelper } from './helper.js'
import type { StartHelper } from './helper.js'
import { parseStatfs } from './statfs-values.js'
import type { StatfsFigures } from './statfs-values.js'

export interface RoundOptions {
  readonly start: StartHelper
  readonly deadlineMs: number
}

export interface RoundAnswer {
  /** By path. A path without figures is to be asked by itself. */
  readonly figures: ReadonlyMap<string, StatfsFigures>
  /** The path at which the helper hangs, until its process has ended. */
  readonly stuck?: { readonly path: string; readonly ended: Promise<void> }
}

export interface StatfsRound {
  /** One round at a time. Never rejects. */
  ask(paths: readonly string[]): Promise<RoundAnswer>
  close(): void
}

// The figures, then the path, so wide that the C library has no room to keep an answer back: each is on its way before the
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
      if (askable.length === 0) return { figures: new Map() }
      const { outcome, stdout, ended } = await helper.ask(askable, deadlineMs)
      const figures = figuresIn(stdout, askable)
      if (outcome !== 'timed_out') return { figures }
      const path = askable[askable.findLastIndex((path) => figures.has(path)) + 1]
      return path === undefined ? { figures } : { figures, stuck: { path, ended } }
    },
    close: () => helper.close(),
  }
}

function figuresIn(stdout: string, paths: readonly string[]): Map<string, StatfsFigures> {
  // A path may end in blanks itself.
  const byTrimmed = new Map(paths.map((path) => [path.trimEnd(), path]))
  const found = new Map<string, StatfsFigures>()
  for (const line of stdout.split('\n')) {
    const [, text = '', name = ''] = /^((?:\d+ ){5}\d+) (.*)$/.exec(line) ?? []
    const path = byTrimmed.get(name.trimEnd())
    const figures = parseStatfs(text)
    if (path !== undefined && figures) found.set(path, figures)
  }
  return found
}
