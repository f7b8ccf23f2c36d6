import { proxyErrors } from '@roost/api-types/checks'
import type { NodeProblems } from '../../machine/problems.js'

/** Answers to requests, and those of them with a status from 500. */
export interface Responses {
  readonly total: number
  readonly errors: number
}

/** Returns the status in the name of a timer of the proxy's answers; undefined for other names. Those by policy are counted already. */
export function statusOf(name: string): number | undefined {
  const [, status] = /^proxy-server\.[^.]+\.[A-Z]+\.(\d{3})\.timing$/.exec(name) ?? []
  return status === undefined ? undefined : Number(status)
}

const minuteMs = 60_000
const minutes = 5

/**
 * Judges a proxy by its answers of the last five complete minutes, once a minute. Times are milliseconds of a clock that never
 * jumps.
 */
export class ResponseWatch {
  readonly #problems: Pick<NodeProblems, 'set'>
  #before: Responses[] = []
  #now: Responses = { total: 0, errors: 0 }
  #minute: number
  #isKnown = false

  constructor(problems: Pick<NodeProblems, 'set'>, at: number) {
    this.#problems = problems
    this.#minute = Math.floor(at / minuteMs)
  }

  /** Adds the answers since the last call. */
  add({ total, errors }: Responses, at: number): void {
    this.#now = { total: this.#now.total + total, errors: this.#now.errors + errors }
    const minute = Math.floor(at / minuteMs)
    if (minute === this.#minute) return
    // Minutes without a call, as of a machine that slept, have no answers.
    const empty = Array.from({ length: Math.min(minutes, minute - this.#minute - 1) }, () => ({ total: 0, errors: 0 }))
    this.#before = [...this.#before, this.#now, ...empty].slice(-minutes)
    this.#now = { total: 0, errors: 0 }
    this.#minute = minute
    this.#judge()
  }

  #judge(): void {
    const sum = (field: keyof Responses) => this.#before.reduce((all, responses) => all + responses[field], 0)
    const found = proxyErrors.find({ minutes, total: sum('total'), errors: sum('errors'), isKnown: this.#isKnown })
    this.#isKnown = found.length > 0
    this.#problems.set('proxy responses', found)
  }
}
