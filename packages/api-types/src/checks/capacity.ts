import { check } from './check.js'
import { fullDeviceEffect } from './devices.js'
import { countText } from './text.js'

/** A forecast of the days until something is full. */
interface FillsFacts {
  /** By usual growth. */
  readonly middle: number
  /** By slow growth; null if that does not grow at all. */
  readonly late: number | null
  /** Of the space in use now. */
  readonly usedPercent: number
}

/** Days: hardware takes weeks to order, and even slow growth fills it in this time. */
const fillsWarning = 30
/** Days by usual growth. */
const fillsCritical = 7
/** Percent in use: of what is emptier, a forecast is a guess. */
const fillsLeastUsed = 60

/** The limits by which a forecast becomes a problem; those who read the forecasts leave out what is beyond. */
export const fillsLimits = { late: fillsWarning, middle: fillsCritical, usedPercent: fillsLeastUsed } as const

/** Returns the severity, the value and the limit of a forecast that is a problem. */
function judgeFills({ middle, late, usedPercent }: FillsFacts) {
  if (usedPercent < fillsLeastUsed) return undefined
  if (middle <= fillsCritical) return { severity: 'critical', value: middle, threshold: fillsCritical } as const
  if (late === null || late > fillsWarning) return undefined
  return { severity: 'warning', value: late, threshold: fillsWarning } as const
}

function daysText({ middle, late }: FillsFacts): string {
  const days = Math.round(middle)
  const at = `in ${countText(days, 'day')}`
  return late === null || Math.round(late) === days ? at : `${at}, at the latest in ${Math.round(late)}`
}

interface DeviceFillsFacts extends FillsFacts {
  readonly node: string
  /** Devices of the node that will be full so soon, without those that are nearly full already. */
  readonly devices: number
  /** That which will be full first. */
  readonly first: string
}

/** One for each node: in a cluster that fills, all devices do. */
export const deviceFills = check({
  code: 'device_fills',
  severity: 'warning',
  about: 'node',
  endangers: 'space',
  effect: fullDeviceEffect,
  measure: {
    what: 'days until the first of its devices is full, by slow growth; where critical, by usual growth',
    isAge: true,
  },
  alert: { forSeconds: 86_400 },
  judge({ node, devices, first, ...facts }: DeviceFillsFacts) {
    const judged = judgeFills(facts)
    if (judged === undefined) return undefined
    return {
      subject: node,
      ...judged,
      sentence: `The device ${first} of ${node} will be full ${daysText(facts)}${devices > 1 ? `; ${devices} of its devices fill` : ''}.`,
      remedy: 'Order devices, or lower the weight of these in the rings and rebalance.',
    }
  },
})

interface PolicyFillsFacts extends FillsFacts {
  /** The policies that share the devices: `gold,silver`. */
  readonly ringSet: string
}

export const policyFills = check({
  code: 'policy_fills',
  severity: 'warning',
  about: 'policy',
  endangers: 'space',
  effect: 'When its devices are full, the cluster refuses new objects of the policy.',
  measure: {
    what: 'days until all of its devices together are full, by slow growth; where critical, by usual growth',
    isAge: true,
  },
  alert: { forSeconds: 86_400 },
  judge({ ringSet, ...facts }: PolicyFillsFacts) {
    const judged = judgeFills(facts)
    if (judged === undefined) return undefined
    return {
      subject: ringSet,
      ...judged,
      sentence: `The devices of ${ringSet} will be full ${daysText(facts)}.`,
      remedy: 'Order devices now: delivery, installation and the rebalance take their time.',
    }
  },
})

interface UnevenFacts {
  readonly ringSet: string
  /** Percent of the space in use, on average over its devices. */
  readonly average: number
  /** What 95 of 100 devices stay below. */
  readonly pct95: number
}

/** Points of percent. */
const mostSpread = 10

export const policyUneven = check({
  code: 'policy_uneven',
  severity: 'warning',
  about: 'policy',
  endangers: 'space',
  effect: 'Some devices will be full long before the others: the free space of the others cannot be used.',
  measure: { what: 'points of percent between the fullness of the fullest twentieth of its devices and the average' },
  alert: { forSeconds: 86_400 },
  judge({ ringSet, average, pct95 }: UnevenFacts) {
    const value = Math.round((pct95 - average) * 10) / 10
    if (value <= mostSpread) return undefined
    return {
      subject: ringSet,
      value,
      threshold: mostSpread,
      sentence: `A twentieth of the devices of ${ringSet} is fuller than ${Math.round(pct95)} %, the average is ${Math.round(average)} %.`,
      remedy: 'Compare the weights in the rings with the sizes of the devices, and rebalance.',
    }
  },
})
