import type { InventoryProblem } from '@roost/api-types/agent'
import { transferNotCounted } from '@roost/api-types/checks'
import type { Clock } from '@roost/runtime'
import { kernelOf, type Machine } from '../../machine/machine.js'
import type { NodeProblems } from '../../machine/problems.js'
import { unlessDenied } from '../../machine/try-read.js'
import type { ParseAccessLine } from './access-line.js'
import { type LogFormat, logFormatOf } from './log-format.js'
import { readProxyLogging } from './proxy-logging.js'

export interface FormatWatchOptions {
  readonly machine: Machine
  readonly swiftDirectory: string
  /** Gets what is not counted. */
  readonly problems: Pick<NodeProblems, 'set'>
  readonly clock: Clock
}

/** Returns the format as the configuration of the proxies has it now. */
export type FormatWatch = () => LogFormat

/** A proxy that was not reloaded keeps its format: the problem stays while lines without an account come. */
const unplacedForMs = 600_000

/** Watches the configuration of the proxies, and reports as a problem of the node what their access log does not show. */
export function watchLogFormat({ machine, swiftDirectory, problems, clock }: FormatWatchOptions): FormatWatch {
  const kernel = kernelOf(machine)
  let known = ''
  let format = logFormatOf([])
  let unplacedAtMs = -Infinity
  const parse: ParseAccessLine = (line) => {
    const parsed = format.parse(line)
    if (parsed?.request?.account === null) unplacedAtMs = clock.monotonic()
    return parsed
  }
  return () => {
    const proxies = unlessDenied(() => readProxyLogging(machine, kernel, swiftDirectory)) ?? []
    const seen = JSON.stringify(proxies)
    if (seen !== known) {
      format = logFormatOf(proxies)
      unplacedAtMs = -Infinity
    }
    known = seen
    const isUnplaced = clock.monotonic() - unplacedAtMs < unplacedForMs
    problems.set('access log', problemsOf(format, isUnplaced))
    return { parse, faults: format.faults }
  }
}

function problemsOf({ faults }: LogFormat, isUnplaced: boolean): readonly InventoryProblem[] {
  if (faults.length > 0) return faults.flatMap(({ file, message }) => transferNotCounted.find({ file, fault: message }))
  return isUnplaced ? transferNotCounted.find({ file: 'access log', fault: null }) : []
}
