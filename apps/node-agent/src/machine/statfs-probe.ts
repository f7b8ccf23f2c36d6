import { setMaxListeners } from 'node:events'
import type { StartHelper } from './helper.js'
import { describeFailure } from './run-command.js'
import type { CommandResult, RunCommand } from './run-command.js'
import { parseStatfs } from './statfs-values.js'
import type { StatfsValues } from './statfs-values.js'
import { createStatfsRound } from './statfs-round.js'

export type ProbeResult =
  | { readonly state: 'ok'; readonly values: StatfsValues }
  /** It did not answer within the deadline, and is not asked again until the process that asks has ended. */
  | { readonly state: 'stuck'; readonly since: number; readonly message: string }
  | { readonly state: 'failed'; readonly message: string }

/** A mount to ask for its usage. */
export interface ProbeTarget {
  /** Distinguishes this mount from a later one at the same path. */
  readonly id: number
  readonly mountPoint: string
}

export interface StatfsProbe {
  /** Asks once; callers that come while an answer is under way share it. Never rejects. */
  probe(mount: ProbeTarget): Promise<ProbeResult>
  /** Asks all of them, those that are well by one process together. In their order; never rejects. */
  probeAll(mounts: readonly ProbeTarget[]): Promise<readonly ProbeResult[]>
  /** Forgets what it knows of other mounts, except of those whose process is still there. */
  keepOnly(mounts: readonly ProbeTarget[]): void
  /** Stops what is under way. */
  close(): void
}

export interface StatfsProbeOptions {
  readonly run: RunCommand
  /** If it is absent, each mount is asked by a process that we start ourselves. */
  readonly start?: StartHelper
  /** Leads from a path of the machine to where it lies on ours. */
  readonly path?: (path: string) => string
  readonly deadlineMs?: number
  readonly now?: () => number
  /** The commands that ask one mount, and all in a round; tests put some here that hang. */
  readonly command?: readonly [string, ...string[]]
  readonly roundCommand?: readonly [string, ...string[]]
  /** Returns further arguments of the command for one mount, after the path. */
  readonly more?: (mount: ProbeTarget) => readonly string[]
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
 * Asks for the usage of filesystems in other processes: a dead disk hangs such a process and not the agent, whose four threads for
 * files would be used up by four such disks.
 */
export function createStatfsProbe(options: StatfsProbeOptions): StatfsProbe {
  const { start, path = (same) => same, deadlineMs = 3_000 } = options
  const single = new SingleProbe({ ...options, path, deadlineMs })
  const round = start && createStatfsRound({ start, deadlineMs }, options.roundCommand)

  async function valuesOfHealthy(targets: readonly ProbeTarget[]): Promise<ReadonlyMap<string, StatfsValues>> {
    if (!round) return new Map()
    const { values, stuck } = await round.ask(targets.map(({ mountPoint }) => path(mountPoint)))
    const target = targets.find(({ mountPoint }) => path(mountPoint) === stuck?.path)
    if (stuck && target) single.hangs(target, stuck.ended)
    return values
  }

  return {
    probe: async (target) => single.probe(target),
    async probeAll(targets) {
      const known = await valuesOfHealthy(targets.filter((target) => single.isWell(target)))
      return Promise.all(
        targets.map(async (target) => {
          const values = known.get(path(target.mountPoint))
          return values ? ({ state: 'ok', values } as const) : single.probe(target)
        }),
      )
    },
    keepOnly: (mounts) => single.keepOnly(mounts),
    close() {
      single.close()
      round?.close()
    },
  }
}

interface SingleOptions extends StatfsProbeOptions {
  readonly path: (path: string) => string
  readonly deadlineMs: number
}

/** A process for each question, and at most one for each mount. */
class SingleProbe {
  readonly #options: SingleOptions
  readonly #entries = new Map<string, Entry>()
  /** Mounts that did not answer when they were last asked. */
  readonly #unwell = new Set<string>()
  readonly #stopping = new AbortController()

  constructor(options: SingleOptions) {
    this.#options = options
    setMaxListeners(0, this.#stopping.signal) // one for each mount that is asked
  }

  async probe(target: ProbeTarget): Promise<ProbeResult> {
    const entry = this.#entries.get(keyOf(target)) ?? { target, busy: false }
    if (entry.underWay) return entry.underWay
    if (entry.busy) return this.#stuckResult(entry)
    this.#entries.set(keyOf(target), entry)
    entry.busy = true
    entry.underWay = this.#ask(entry)
    return entry.underWay
  }

  /** Says whether the mount may be asked together with others: it answered the last time. */
  isWell(target: ProbeTarget): boolean {
    return !this.#unwell.has(keyOf(target)) && !this.#entries.has(keyOf(target))
  }

  /** Records that another process hangs in the mount. */
  hangs(target: ProbeTarget, ended: Promise<void>): void {
    this.#waitFor({ target, busy: true }, ended)
  }

  keepOnly(mounts: readonly ProbeTarget[]): void {
    const kept = new Set(mounts.map(keyOf))
    for (const [key, entry] of this.#entries) if (!entry.busy && !kept.has(key)) this.#entries.delete(key)
    for (const key of this.#unwell) if (!kept.has(key)) this.#unwell.delete(key)
  }

  close(): void {
    this.#stopping.abort()
  }

  async #ask(entry: Entry): Promise<ProbeResult> {
    const { run, path, deadlineMs, more = () => [], command: [file, ...args] = statCommand } = this.#options
    const { mountPoint } = entry.target
    const asked = [...args, path(mountPoint), ...more(entry.target)]
    const result = await run(file, asked, { deadlineMs, signal: this.#stopping.signal })
    delete entry.underWay
    if (result.outcome === 'timed_out') {
      this.#waitFor(entry, result.ended)
      return this.#stuckResult(entry)
    }
    this.#entries.delete(keyOf(entry.target))
    const answer = answerOf(mountPoint, result)
    if (answer.state === 'ok') this.#unwell.delete(keyOf(entry.target))
    else this.#unwell.add(keyOf(entry.target))
    return answer
  }

  #waitFor(entry: Entry, ended: Promise<void>): void {
    entry.stuckSince ??= this.#now()
    entry.busy = true
    this.#entries.set(keyOf(entry.target), entry)
    this.#unwell.add(keyOf(entry.target))
    void ended.then(() => (entry.busy = false))
  }

  #stuckResult(entry: Entry): ProbeResult {
    const since = entry.stuckSince ?? this.#now()
    const message = `${entry.target.mountPoint} has not answered since ${new Date(since).toISOString()}`
    return { state: 'stuck', since, message }
  }

  #now(): number {
    return (this.#options.now ?? Date.now)()
  }
}

function keyOf({ id, mountPoint }: ProbeTarget): string {
  return `${id} ${mountPoint}`
}

function answerOf(mountPoint: string, result: CommandResult): ProbeResult {
  if (result.outcome !== 'exited' || result.exitCode !== 0)
    return { state: 'failed', message: `${mountPoint}: ${describeFailure(result)}` }
  const values = parseStatfs(result.stdout)
  if (values) return { state: 'ok', values }
  return {
    state: 'failed',
    message: `${mountPoint}: unexpected output of stat: '${result.stdout.slice(0, 80).trim()}'`,
  }
}
