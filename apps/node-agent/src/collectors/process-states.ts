import type { Collector, CollectorHost } from './collector.js'
import { gauge } from './metric.js'
import type { Measurement } from './metric.js'

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

/** The letter in `pid (name) letter …`; the name may hold anything, brackets and blanks too. */
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

function readStates({ machine }: CollectorHost): readonly Measurement[] {
  const pids = machine.list('/proc').filter((name) => /^\d+$/.test(name))
  if (pids.length === 0) return []
  const letters = pids.flatMap((pid) => parseProcessState(machine.read(`/proc/${pid}/stat`) ?? '') ?? [])
  return processStateMeasurements(letters)
}

/** How many processes there are in each state. A file a process makes it dear, so that it is read once a minute. */
export const processStates: Collector = { name: 'process_states', minIntervalMs: 60_000, read: readStates }
