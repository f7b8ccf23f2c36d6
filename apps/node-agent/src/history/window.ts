import { createHash } from 'node:crypto'
import type { Reading } from '../collectors/engine/reading.js'
import type { Catalogue } from '../uplink/catalogue.js'

/** How long a window is, and where windows begin: each node at another moment, so that a fleet's chunks spread. */
export interface WindowPace {
  readonly windowMs: number
  readonly phaseMs: number
}

/** The readings of a window; rows are in the order of the catalogue. */
export interface FullWindow {
  readonly catalogue: Catalogue
  readonly times: Float64Array
  readonly rows: readonly Float64Array[]
}

/** A window of more values ends early: 2 MB, which is half an hour of 700 metrics every 5 s. */
const mostValues = 250_000
const mostReadings = 4096

/** Where in a window of this length the windows of a node begin; fixed by its UUID. */
export function phaseOf(uuid: string, windowMs: number): number {
  return createHash('sha256').update(uuid).digest().readUInt32LE(0) % windowMs
}

/** Collects the readings of the current window in memory. */
export class Window {
  #catalogue: Catalogue | null = null
  #times: number[] = []
  #rows: Float64Array[] = []

  /** Adds a reading. Returns the window before it, if this reading begins another one. */
  add(catalogue: Catalogue, { time, values }: Reading, pace: WindowPace): FullWindow | null {
    const timeMs = Math.round(time * 1000)
    const full = this.#goesOn(catalogue, timeMs, pace) ? null : this.end()
    this.#catalogue = catalogue
    this.#times.push(timeMs)
    this.#rows.push(values.slice())
    return full
  }

  /** Ends the window; null if it has no reading. */
  end(): FullWindow | null {
    const catalogue = this.#catalogue
    const rows = this.#rows
    const times = Float64Array.from(this.#times)
    this.#catalogue = null
    this.#times = []
    this.#rows = []
    return catalogue === null ? null : { catalogue, times, rows }
  }

  /** Other names, a clock that was set back, the end of the time or of the memory: each ends a window. */
  #goesOn(catalogue: Catalogue, timeMs: number, { windowMs, phaseMs }: WindowPace): boolean {
    const last = this.#times.at(-1)
    if (last === undefined || catalogue.id !== this.#catalogue?.id || timeMs <= last) return false
    const count = this.#rows.length + 1
    if (count > mostReadings || count * catalogue.metrics.length > mostValues) return false
    const numberOf = (ms: number) => Math.floor((ms - phaseMs) / windowMs)
    return numberOf(timeMs) === numberOf(last)
  }
}
