import type { InventoryProblem } from '@roost/api-types/agent'
import { daemonLate, daemonRestarts, daemonStopped } from '@roost/api-types/checks'
import type { ConfiguredDaemon } from './configured.js'
import type { ReconCaches } from './last-pass.js'
import { Starts } from './starts.js'
import type { SwiftProcess } from './swift-processes.js'
import type { SwiftUnit } from './units.js'

/** What was read in one round. */
export interface DaemonReading {
  readonly daemons: readonly ConfiguredDaemon[]
  readonly processes: readonly SwiftProcess[]
  readonly units: ReadonlyMap<string, SwiftUnit>
  readonly recon: ReconCaches
  readonly monotonicMs: number
}

export interface JudgedDaemon {
  readonly daemon: ConfiguredDaemon
  readonly isRunning: boolean
  readonly isExpected: boolean
  readonly problems: readonly InventoryProblem[]
}

interface State {
  readonly starts: Starts
  missed: number
  /** For how many rounds it has run although its unit does not. */
  outside: number
  /** It is run by something else than its unit, such as `swift-init`. */
  isOutside: boolean
}

/** Units are read every third round. */
const outsideRounds = 4

/** Remembers which daemons ran, when they started, and for how many rounds they have been missing. */
export class DaemonStates {
  readonly #states = new Map<string, State>()

  judge(reading: DaemonReading): readonly JudgedDaemon[] {
    return reading.daemons.map((daemon) => this.#judgeOne(daemon, reading))
  }

  #judgeOne(daemon: ConfiguredDaemon, reading: DaemonReading): JudgedDaemon {
    const { name, path, lastPass } = daemon
    const { processes, recon } = reading
    const state = this.#stateOf(daemon)
    const own = processes.filter((each) => each.daemon === name && isStartedWith(each, daemon))
    state.starts.record(identify(own), restartsOf(daemon, reading), reading.monotonicMs)
    const isAlone = own.length > 0 && reading.units.get(name)?.isActive === false
    state.outside = isAlone ? state.outside + 1 : 0
    state.isOutside ||= state.outside >= outsideRounds
    const isExpected = isExpectedToRun(daemon, state, reading)
    state.missed = own.length > 0 || !isExpected ? 0 : state.missed + 1
    const facts = { daemon: name, file: path, missed: state.missed, restarts: state.starts.count }
    const passSeconds = lastPass === null || !isExpected ? null : recon.passAge(lastPass)
    return {
      daemon,
      isRunning: own.length > 0,
      isExpected,
      problems: [
        ...daemonStopped.find(facts),
        ...daemonRestarts.find(facts),
        ...daemonLate.find({ ...facts, ...daemon, passSeconds }),
      ],
    }
  }

  #stateOf({ name, path }: ConfiguredDaemon): State {
    const key = `${name} ${path}`
    const state = this.#states.get(key) ?? { starts: new Starts(), missed: 0, outside: 0, isOutside: false }
    this.#states.set(key, state)
    return state
  }
}

/**
 * A daemon is expected where its unit is enabled, or something else has run it; without a unit, where it was seen to run, or has ever written a result. A result
 * counts only where programs of Swift are seen at all: they may run in containers.
 */
function isExpectedToRun(
  { name, lastPass }: ConfiguredDaemon,
  { starts, isOutside }: State,
  reading: DaemonReading,
): boolean {
  const unit = reading.units.get(name)
  if (unit !== undefined) return unit.isEnabled || isOutside
  const areSeen = reading.processes.some((each) => reading.daemons.some((other) => isStartedWith(each, other)))
  return starts.wasSeen || (areSeen && lastPass !== null && reading.recon.has(lastPass))
}

/** One unit of systemd says nothing of several instances. */
function restartsOf({ name }: ConfiguredDaemon, { daemons, units }: DaemonReading): number | undefined {
  return daemons.filter((each) => each.name === name).length === 1 ? units.get(name)?.restarts : undefined
}

function identify(processes: readonly SwiftProcess[]): string {
  return processes
    .map(({ started }) => started)
    .toSorted()
    .join(' ')
}

/** A folder of pieces may be named with or without the file beside it. */
function isStartedWith({ path }: SwiftProcess, daemon: ConfiguredDaemon): boolean {
  return path.replace(/\.d$/, '') === daemon.path.replace(/\.d$/, '')
}
