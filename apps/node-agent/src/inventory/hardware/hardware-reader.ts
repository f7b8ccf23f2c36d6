import { fileURLToPath } from 'node:url'
import type { HardwareReport } from '@roost/api-types/agent'
import type { Clock } from '@roost/runtime'
import { describeFailure, type CommandOptions, type RunCommand } from '../../machine/run-command.js'
import type { Section } from './sections.js'

export interface HardwareReader {
  /** Rejects while a process that was killed earlier still hangs in a device. */
  read(): Promise<HardwareReport>
  /** Stops the process that reads. */
  close(): void
}

export interface HardwareReaderOptions {
  readonly run: RunCommand
  readonly clock: Clock
  readonly deadlineMs?: number
  readonly program?: string
  /** The environment of the process, in tests. */
  readonly env?: CommandOptions['env']
}

const hardwareProgram = fileURLToPath(new URL('hardware-main.js', import.meta.url))
const maxOutputBytes = 4 << 20
const empty = {
  system: null,
  board: null,
  bios: null,
  cpu: null,
  memory_modules: null,
  disks: null,
  interfaces: null,
} as const satisfies Omit<HardwareReport, 'read_at' | 'unavailable'>

/**
 * Reads the hardware in a process that ends: it gives its memory back, and a device that hangs cannot hang the agent. After
 * 20 s it is killed with everything that it started, and the sections that it printed are the report.
 */
export function createHardwareReader(options: HardwareReaderOptions): HardwareReader {
  const { run, clock, deadlineMs = 20_000, program = hardwareProgram, env } = options
  const stopping = new AbortController()
  let isRunning = false
  return {
    close: () => stopping.abort(),
    async read() {
      if (isRunning) throw new Error('An earlier process that reads the hardware is still hanging.')
      isRunning = true
      const limits = { deadlineMs, maxOutputBytes, signal: stopping.signal, ...(env === undefined ? {} : { env }) }
      const result = await run(process.execPath, ['--max-old-space-size=128', program], limits)
      void result.ended.then(() => (isRunning = false))
      if (result.outcome === 'aborted') throw new Error('The agent is stopping.')
      return reportOf(clock.now() / 1_000, result.stdout, describeFailure(result))
    },
  }
}

/** The last line of a process that was killed may be incomplete. */
function reportOf(readAt: number, text: string, failure: string): HardwareReport {
  const lines = text.slice(0, text.lastIndexOf('\n') + 1).split('\n')
  const sections = lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Section)
  const read = new Set(sections.map(({ name }) => name))
  const missing = Object.keys(empty).filter((name) => !read.has(name as Section['name']))
  return {
    read_at: readAt,
    ...empty,
    ...Object.fromEntries(sections.map(({ name, value }) => [name, value])),
    unavailable: {
      ...Object.fromEntries(
        missing.map((name) => [name, `the process that reads the hardware ${failure}`.slice(0, 300)]),
      ),
      ...Object.assign({}, ...sections.map(({ unavailable }) => unavailable)),
    },
  }
}
