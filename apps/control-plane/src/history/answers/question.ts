import { RoostError } from '@roost/api-types/rest'
import type { HistoryQuery } from '@roost/api-types/rpc'
import { timeRange } from '../../services/time-range.js'
import { fiveMinutes, hour, raw } from '../storage/levels.js'
import type { KeptFor, Level } from '../storage/levels.js'

/** A question with its times at whole steps, in Unix milliseconds. */
export interface Question {
  readonly fromMs: number
  readonly endMs: number
  readonly stepMs: number
  readonly level: Level
  /** The end is now: the latest values are its last points. */
  readonly isOpen: boolean
}

export const maxPoints = 11_000
export const maxValues = 2_000_000
const defaultPoints = 1_000
/** Steps that are chosen, in seconds: each divides the next level or a day. */
const steps = [10, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400, 604_800, 2_592_000]

/** Reads what a caller asks for. Throws `invalid`. */
export function readQuestion(query: Partial<HistoryQuery>, kept: KeptFor, nowMs: number): Question {
  const { startMs: start, endMs: end } = timeRange(query, nowMs)
  const isOpen = query.end === undefined || query.end === ''
  // Before the oldest level there is nothing.
  const oldest = Math.max(start, nowMs - kept.hourMs)
  const stepMs = 1000 * stepOf(query, (Math.max(end, oldest) - oldest) / 1000, nowMs - oldest, kept)
  const fromMs = Math.floor(oldest / stepMs) * stepMs
  const endMs = Math.max(fromMs + stepMs, Math.ceil(end / stepMs) * stepMs)
  const points = (endMs - fromMs) / stepMs
  if (points > maxPoints + 1)
    throw new RoostError('invalid', `These are ${points} points; at most ${maxPoints} are answered. Use a longer step.`)
  return { fromMs, endMs, stepMs, level: levelOf(stepMs), isOpen: isOpen || end >= nowMs }
}

function stepOf(query: Partial<HistoryQuery>, seconds: number, ageMs: number, kept: KeptFor): number {
  if (query.step !== undefined) return integerUpTo('step', query.step, 31_622_400)
  const wanted = integerUpTo('max_points', query.max_points ?? defaultPoints, maxPoints)
  // What is too old for readings is only there as means.
  const least = ageMs <= kept.rawMs ? raw.stepMs : ageMs <= kept.fiveMinutesMs ? fiveMinutes.stepMs : hour.stepMs
  return nextStep(Math.max(least / 1000, seconds / wanted))
}

/** Returns the shortest usual step that is not below. */
export function nextStep(seconds: number): number {
  return steps.find((step) => step >= seconds) ?? Math.ceil(seconds / 2_592_000) * 2_592_000
}

function integerUpTo(name: string, value: number, most: number): number {
  if (Number.isInteger(value) && value >= 1 && value <= most) return value
  throw new RoostError('invalid', `'${name}' must be a whole number from 1 to ${most}.`)
}

/** Returns the coarsest level whose steps are within the step. */
export function levelOf(stepMs: number): Level {
  return [hour, fiveMinutes].find((level) => stepMs % level.stepMs === 0) ?? raw
}
