import type { InventoryProblem } from '@roost/api-types/agent'
import { dispersionLow, dispersionUnknown } from '@roost/api-types/checks'
import { type Clock, Periodic, type Stoppable } from '@roost/runtime'
import * as z from 'zod/mini'
import type { NodeProblems } from '../../machine/problems.js'
import { type CommandResult, describeFailure, type RunCommand } from '../../machine/run-command.js'

export interface DispersionOptions {
  readonly run: RunCommand
  /** `swift-dispersion-report`, which reads its login from `/etc/swift/dispersion.conf`. */
  readonly program: string
  readonly intervalMs: number
  /** Names of the policies in swift.conf. */
  readonly policies: () => readonly string[]
  readonly problems: NodeProblems
  readonly clock: Clock
  readonly onError: (error: unknown) => void
}

/** A restart of the agent does not measure again at once. */
const firstDelayMs = 600_000
/** It asks for tens of thousands of copies. */
const deadlineMs = 3_600_000

const Report = z.looseObject({ copies_found: z.number(), copies_expected: z.number() })
const Reports = z.object({ container: z.nullish(Report), object: z.nullish(Report) })

/** Measures at an interval, with Swift's own program, how many copies of its test objects are where the rings have them. */
export function watchDispersion(options: DispersionOptions): Stoppable {
  const { clock, intervalMs, onError } = options
  const stopping = new AbortController()
  const work = () => measure(options, stopping.signal)
  const round = new Periodic({ clock, intervalMs: () => intervalMs, firstDelayMs, work, onError })
  return {
    async stop() {
      stopping.abort()
      await round.stop()
    },
  }
}

async function measure({ run, program, policies, problems }: DispersionOptions, signal: AbortSignal): Promise<void> {
  const found: InventoryProblem[] = []
  for (const policy of policies()) {
    const args = ['-n', '19', program, '--dump-json', '--policy-name', policy]
    const result = await run('nice', args, { deadlineMs, signal })
    if (signal.aborted) return
    const reports = result.exitCode === 0 ? parseReports(result.stdout) : undefined
    if (reports === undefined) found.push(...dispersionUnknown.find({ policy, reason: reasonOf(result) }))
    else found.push(...reports.flatMap((report) => dispersionLow.find({ policy, ...report })))
  }
  problems.set('dispersion', found)
}

/** Python writes what is wrong in the last line. */
function reasonOf(result: CommandResult): string {
  return result.stderr.trim().split('\n').at(-1)?.slice(0, 300) || describeFailure(result)
}

/** Parses the output; undefined where it has no result, because nothing was populated. */
function parseReports(text: string) {
  const { data } = z.safeParse(Reports, parseJson(text))
  const found = (['container', 'object'] as const).flatMap((kind) => {
    const report = data?.[kind]
    if (report === undefined || report === null) return []
    const missing = Object.keys(report).flatMap((key) => /^missing_(\d+)$/.exec(key)?.[1] ?? [])
    const most = missing.reduce((worst, count) => Math.max(worst, Number(count)), 0)
    return [{ kind, found: report.copies_found, expected: report.copies_expected, mostMissing: most }]
  })
  return found.length === 0 ? undefined : found
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
