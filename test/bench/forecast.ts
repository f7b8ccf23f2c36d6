import { forecastDays, forecastFull } from '@roost/capacity-core'
import type { Forecast } from '@roost/capacity-core'
import { liveHours, seededRandom } from './lives.js'
import type { Life } from './lives.js'
import { cpuMsOf } from './measure.js'
import { atLeast, atMost, row } from './report.js'
import type { Row } from './report.js'

const limit = 0.9
const size = { sizeBytes: 1e15, limitBytes: limit * 1e15 }
const livesOfKind = 200
/** Each life is forecast on every third day between these. */
const [firstDay, lastDay] = [45, 180]

/** Median error and how often the interval has to hold the truth, in whole percents; the peers' errors are of their straight lines. */
const kinds: Readonly<Record<Life, { error: number; covers: number; peers: Record<string, number> }>> = {
  steady: { error: 6, covers: 93, peers: { 'Ceph: 2 d line': 16, 'SAP: 7 d line': 10, 'least squares 30 d': 6 } },
  'weekly pattern': {
    error: 6,
    covers: 90,
    peers: { 'Ceph: 2 d line': 23, 'SAP: 7 d line': 12, 'least squares 30 d': 6 },
  },
  bursts: { error: 11, covers: 85, peers: { 'Ceph: 2 d line': 29, 'SAP: 7 d line': 19, 'least squares 30 d': 11 } },
  'weekly expirer': {
    error: 28,
    covers: 100,
    peers: { 'Ceph: 2 d line': 79, 'SAP: 7 d line': 537, 'least squares 30 d': 19 },
  },
  rebalance: { error: 43, covers: 43, peers: { 'Ceph: 2 d line': 46, 'SAP: 7 d line': 48, 'least squares 30 d': 61 } },
  accelerating: {
    error: 18,
    covers: 42,
    peers: { 'Ceph: 2 d line': 13, 'SAP: 7 d line': 12, 'least squares 30 d': 19 },
  },
}

/** Forecasts of simulated lives against what happened then, and what one costs. */
export async function benchForecast(): Promise<readonly Row[]> {
  const rows = (Object.keys(kinds) as Life[]).flatMap((kind) => {
    const { error, covers, peers } = kinds[kind]
    const seen = judge(kind)
    return [
      row(`${kind}: median error`, seen.error, '%', atMost(error), peers),
      row(`${kind}: interval covers the truth`, seen.covers, '%', atLeast(covers)),
    ]
  })
  const life = maximaOf(liveHours('weekly pattern', seededRandom(7)), 100)
  const cpuMs = cpuMsOf(2000, () => forecastFull(life, size))
  return [...rows, row('one device', cpuMs, 'ms CPU', atMost(0.1))]
}

function judge(kind: Life): { readonly error: number; readonly covers: number } {
  const random = seededRandom(4242)
  const errors: number[] = []
  const covered: boolean[] = []
  for (let life = 0; life < livesOfKind; life++) {
    const hours = liveHours(kind, random)
    for (let day = firstDay; day < lastDay; day += 3) {
      const truth = daysUntilLimit(hours, day)
      if (truth === 0) break
      if (truth > 60) continue
      const { early, middle, late } = answered(forecastFull(maximaOf(hours, day), size))
      if (truth >= 5) errors.push(Math.abs(Math.min(middle, 365) - truth) / truth)
      covered.push(truth >= early * 0.9 && truth <= late * 1.1)
    }
  }
  const sorted = errors.toSorted((a, b) => a - b)
  const middles = [sorted[(sorted.length - 1) >> 1], sorted[sorted.length >> 1]] as [number, number]
  const percent = (share: number) => Math.round(100 * share)
  return {
    error: percent((middles[0] + middles[1]) / 2),
    covers: percent(covered.filter(Boolean).length / covered.length),
  }
}

/** Without a forecast it is never full. */
function answered(forecast: Forecast) {
  if (forecast.state !== 'forecast') return { early: Infinity, middle: Infinity, late: Infinity }
  const { early, middle, late } = forecast.daysUntilFull
  return { early, middle, late: late ?? Infinity }
}

function daysUntilLimit(hours: Float64Array, day: number): number {
  const at = hours.findIndex((used, hour) => hour >= day * 24 && used >= limit)
  return at === -1 ? Infinity : (at - day * 24) / 24
}

function maximaOf(hours: Float64Array, until: number) {
  return Array.from({ length: forecastDays }, (_, i) => {
    const day = until - forecastDays + i
    return { day, usedBytes: Math.max(...hours.subarray(day * 24, day * 24 + 24)) * size.sizeBytes }
  })
}
