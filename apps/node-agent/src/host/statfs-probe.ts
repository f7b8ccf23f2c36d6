import { setMaxListeners } from 'node:events'
import type { FilesystemFigures } from '@roost/api-types/agent'
import { describeFailure } from './run-command.js'
import type { CommandResult, RunCommand } from './run-command.js'

export interface StatfsFigures extends FilesystemFigures {
  /** 0 where the filesystem has no fixed number of inodes. */
  readonly inodes: number
  readonly freeInodes: number
}

export type ProbeResult =
  | { readonly state: 'ok'; readonly figures: StatfsFigures }
  /** It did not answer within the deadline, and is not asked again until the process that asks has ended. */
  | { readonly state: 'stuck'; readonly since: number; readonly message: string }
  | { readonly state: 'failed'; readonly message: string }

/** What has to be known of a mount to ask for its figures. */
interface ProbeTarget {
  /** Tells this mount from a later one at the same path. */
  readonly id: number
  readonly mountPoint: string
}

export interface StatfsProbe {
  /** Asks once; callers that come while an answer is under way share it. Never rejects. */
  probe(mount: ProbeTarget): Promise<ProbeResult>
  /** Forgets what it knows of other mounts, except of those whose process is still there. */
  keepOnly(mounts: readonly ProbeTarget[]): void
  /** Stops what is under way. */
  close(): void
}

export interface StatfsProbeOptions {
  readonly run: RunCommand
  /** Leads from a path of the machine to where it lies on ours. */
  readonly path?: (path: string) => string
  readonly deadlineMs?: number
  readonly now?: () => number
  /** The command that asks; tests put one here that hangs. */
  readonly command?: readonly [string, ...string[]]
}

interface Entry {
  readonly target: ProbeTarget
  stuckSince?: number
  /** A process that asks is still there. */
  busy: boolean
  underWay?: Promise<ProbeResult>
}

// Fundamental block size, blocks, free and available ones, inodes and free ones.
const statCommand = ['stat', '-f', '-c', '%S %b %f %a %c %d'] as const

/**
 * Asks for a filesystem's figures in a process of its own: a dead disk hangs that process and not the agent, whose four
 * threads for files would be used up by four such disks.
 */
export function createStatfsProbe(options: StatfsProbeOptions): StatfsProbe {
  const { run, path = (same) => same, deadlineMs = 3_000, now = Date.now } = options
  const [file, ...args] = options.command ?? statCommand
  const entries = new Map<string, Entry>()
  const stopping = new AbortController()
  setMaxListeners(0, stopping.signal) // one for each mount that is asked

  function stuckResult(entry: Entry): ProbeResult {
    const since = entry.stuckSince ?? now()
    const message = `${entry.target.mountPoint} has not answered since ${new Date(since).toISOString()}`
    return { state: 'stuck', since, message }
  }

  function take(key: string, entry: Entry, result: CommandResult): ProbeResult {
    delete entry.underWay
    if (result.outcome === 'timed_out') {
      entry.stuckSince ??= now()
      void result.ended.then(() => (entry.busy = false))
      return stuckResult(entry)
    }
    entries.delete(key)
    return answerOf(entry.target.mountPoint, result)
  }

  return {
    async probe(target) {
      const key = keyOf(target)
      const entry = entries.get(key) ?? { target, busy: false }
      if (entry.underWay) return entry.underWay
      if (entry.busy) return stuckResult(entry)
      entries.set(key, entry)
      entry.busy = true
      entry.underWay = run(file, [...args, path(target.mountPoint)], { deadlineMs, signal: stopping.signal }).then(
        (result) => take(key, entry, result),
      )
      return entry.underWay
    },
    keepOnly(mounts) {
      const kept = new Set(mounts.map(keyOf))
      for (const [key, entry] of entries) if (!entry.busy && !kept.has(key)) entries.delete(key)
    },
    close: () => stopping.abort(),
  }
}

function keyOf({ id, mountPoint }: ProbeTarget): string {
  return `${id} ${mountPoint}`
}

function answerOf(mountPoint: string, result: CommandResult): ProbeResult {
  if (result.outcome !== 'exited' || result.exitCode !== 0)
    return { state: 'failed', message: `${mountPoint}: ${describeFailure(result)}` }
  const figures = parseStatfs(result.stdout)
  if (figures) return { state: 'ok', figures }
  return { state: 'failed', message: `${mountPoint}: '${result.stdout.slice(0, 80).trim()}' are no figures` }
}

/** Reads the answer to `stat -f -c '%S %b %f %a %c %d'`; undefined when it is none. */
export function parseStatfs(text: string): StatfsFigures | undefined {
  const answer = text.trim()
  if (!/^[1-9]\d*(?: \d+){5}$/.test(answer)) return undefined
  const [block, blocks, free, available, inodes, freeInodes] = answer.split(' ').map(Number) as SixNumbers
  return {
    total_bytes: blocks * block,
    free_bytes: free * block,
    available_bytes: available * block,
    inodes,
    freeInodes,
  }
}

type SixNumbers = [number, number, number, number, number, number]
