import { resourceUri } from '@roost/api-types/rest'
import type { ExplainedPart, Explanation, LeftOutPart, LeftOutReason, RingSetForecast } from '@roost/api-types/rest'
import { forecastDays } from '@roost/capacity-core'
import type { DailyMaximum, PolicySetCapacity } from '@roost/capacity-core'
import { readTime, withParts } from '../services/explanation.js'
import { dateOf } from './day.js'
import type { DeviceReading } from './live-devices.js'
import type { NamedDevice } from './store.js'

interface SetParts {
  readonly counted: ExplainedPart[]
  readonly leftOut: LeftOutPart[]
}

/** The devices of a cluster by their set of policies, `0,2`; the empty text is of those in none. */
export type PartsBySet = ReadonlyMap<string, SetParts>

/** Sorts the devices of a cluster into those that count and those that do not. */
export function partsBySet(named: readonly NamedDevice[], readingOf: (id: number) => DeviceReading | undefined) {
  const found = new Map<string, SetParts>()
  for (const device of named) {
    const reading = readingOf(device.id)
    const key = reading?.policies.join() ?? ''
    const parts = found.get(key) ?? { counted: [], leftOut: [] }
    found.set(key, parts)
    const { part, reason } = partOf(device, reading)
    if (reason === undefined) parts.counted.push(part)
    else parts.leftOut.push({ ...part, reason })
  }
  return found
}

function partOf({ id, nodeId, name, time }: NamedDevice, reading: DeviceReading | undefined) {
  const usage = reading?.usage ?? null
  const part: ExplainedPart = {
    node: resourceUri('nodes', nodeId),
    device: resourceUri('devices', id),
    name,
    values:
      usage === null ? {} : { raw_bytes: usage.rawBytes, used_bytes: usage.usedBytes, free_bytes: usage.freeBytes },
    read: readTime(reading === undefined ? time : reading.time),
  }
  return { part, reason: reasonOf(reading) }
}

/** Returns undefined for a device that counts. */
function reasonOf(reading: DeviceReading | undefined): LeftOutReason | undefined {
  if (reading === undefined) return 'not_reported'
  if (reading.policies.length === 0) return 'no_policy'
  if (reading.usage !== null) return undefined
  const { status } = reading
  return status === 'unmounted' || status === 'missing' || status === 'failed' ? status : 'not_read'
}

const noParts: SetParts = { counted: [], leftOut: [] }

/** Explains the capacity of each set, and last the devices that are in none. */
export function explainCapacity(
  sets: readonly PolicySetCapacity[],
  parts: PartsBySet,
  ringSet: (policies: readonly number[]) => string,
): readonly Explanation[] {
  const explained = sets.map(({ policies, rawBytes, usedBytes, freeBytes }) =>
    withParts(
      {
        name: ringSet(policies),
        values: { raw_bytes: rawBytes, used_bytes: usedBytes, free_bytes: freeBytes },
        rule:
          'Sum over the devices that are in exactly these policies and whose filesystem was read. Raw is used plus free, without what is ' +
          'reserved for root and free. Of a node that is offline the last reading counts.',
      },
      parts.get(policies.join()) ?? noParts,
    ),
  )
  const without = parts.get('')
  if (without === undefined) return explained
  const rule =
    'These devices are in no ring, or their node does not report them any more. They are not part of any capacity.'
  return [...explained, withParts({ name: '', values: {}, rule }, without)]
}

interface ForecastFacts {
  readonly days: readonly DailyMaximum[]
  readonly rawBytes: number
  readonly parts: SetParts | undefined
}

/** Explains the forecast of a set: by which days, against which limit, and of which devices. */
export function explainForecast(forecast: RingSetForecast, { days, rawBytes, parts }: ForecastFacts): Explanation {
  const { state, limit_pct: limitPct, growth_bytes_a_day: growth, days_until_full: until, shifts } = forecast
  const last = days.at(-1)
  const seen = days.filter(({ day }) => day > (last?.day ?? 0) - forecastDays)
  const first = seen[0]
  const span =
    first === undefined || last === undefined ? 'No day is known' : `${dateOf(first.day)} to ${dateOf(last.day)}`
  const limitBytes = (rawBytes * limitPct) / 100
  return withParts(
    {
      name: forecast.ring_set,
      values: {
        limit_bytes: limitBytes,
        used_bytes: last?.usedBytes ?? null,
        left_bytes: last === undefined ? null : limitBytes - last.usedBytes,
        growth_bytes_a_day: growth,
        days_until_full: until?.middle ?? null,
        history_days: forecast.history_days,
        missing_days: forecast.history_days - seen.length,
      },
      rule:
        `${stateRules[state]} Days with a reading: ${span}. ` +
        `Growth is the median over pairs of equal weekdays; none of these pairs crosses a shift${shifts.length > 0 ? ` (${shifts.join(', ')})` : ''}. ` +
        `A set is full at ${limitPct} % of its raw bytes, which are the sum of these devices.`,
    },
    parts ?? noParts,
  )
}

const stateRules: Readonly<Record<RingSetForecast['state'], string>> = {
  forecast: 'Days until full are the bytes left divided by the growth of a day.',
  not_enough_data: 'There is no forecast: fewer than 14 days are known, or more than 30 % of them are missing.',
  not_growing: 'There is no forecast: the usual growth is not above 0.',
  beyond_horizon:
    'There is no forecast: even fast growth takes more than a year, or more than twice the days that were seen.',
}
