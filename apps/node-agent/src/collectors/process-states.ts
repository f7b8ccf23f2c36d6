import type { Collector, CollectorHost } from './engine/collector.js'
import { gauge } from './engine/metric.js'
import type { Measurement } from './engine/metric.js'

// The letters of proc_pid_stat(5); running and blocked processes are counted by the collector `processes`.
const stateOfLetter: ReadonlyMap<string, State> = new Map<string, State>([
  ['S', 'sleeping'],
  ['I', 'idle'],
  ['T', 'stopped'],
  ['t', 'stopped'],
  ['Z', 'zombies'],
])
const states = ['sleeping', 'idle', 'stopped', 'zombies'] as const
type State = (typeof states)[number]

/** Returns the letter of `pid (name) letter …`; the name may contain brackets and blanks. */
export function parseProcessState(stat: string): string | undefined {
  const end = stat.lastIndexOf(') ')
  return end === -1 ? undefined : stat.charAt(end + 2)
}

function processStateMeasurements(letters: readonly string[]): readonly Measurement[] {
  const counts = new Map<State, number>(states.map((state) => [state, 0]))
  for (const letter of letters) {
    const state = stateOfLetter.get(letter)
    if (state !== undefined) counts.set(state, (counts.get(state) ?? 0) + 1)
  }
  return [
    gauge('processes.ps_count.processes', 'count', letters.length),
    ...Array.from(counts, ([state, count]) => gauge(`processes.ps_state.${state}`, 'count', count)),
  ]
}

function readStates({ machine }: CollectorHost): readonly string[] {
  const pids = machine.list('/proc').filter((name) => /^\d+$/.test(name))
  return pids.flatMap((pid) => parseProcessState(machine.read(`/proc/${pid}/stat`) ?? '') ?? [])
}

/** Counts the processes in each state. Each is a file, so the period grows with their number: at most 0.02 % of a core. */
export function createProcessStates(): Collector {
  let processes = 0
  return {
    name: 'process_states',
    get minIntervalMs() {
      return Math.max(60_000, processes * 100)
    },
    read(host) {
      const letters = readStates(host)
      processes = letters.length
      return processes === 0 ? [] : processStateMeasurements(letters)
    },
  }
}
