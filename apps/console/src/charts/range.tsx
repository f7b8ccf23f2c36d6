import type { HistoryRange } from '../api/queries/history.js'
import { t } from '../words/text.js'

/** The spans of time that charts offer, as in the address. */
export const ranges = {
  '1h': { seconds: 3_600, points: 360 },
  '24h': { seconds: 86_400, points: 288 },
  '7d': { seconds: 7 * 86_400, points: 336 },
  '90d': { seconds: 90 * 86_400, points: 360 },
} as const satisfies Readonly<Record<string, HistoryRange>>
export type RangeName = keyof typeof ranges

/** Returns the range that an address names. */
export function rangeNamed(name: string | undefined, otherwise: RangeName): RangeName {
  return name !== undefined && name in ranges ? (name as RangeName) : otherwise
}

interface RangeChoiceProps {
  readonly value: RangeName
  readonly onChange: (name: RangeName) => void
}

export function RangeChoice({ value, onChange }: RangeChoiceProps) {
  return (
    <div className="seg" role="group" aria-label={t('charts.range')}>
      {(Object.keys(ranges) as RangeName[]).map((name) => (
        <button key={name} type="button" aria-pressed={name === value} onClick={() => onChange(name)}>
          {t(`charts.${name}`)}
        </button>
      ))}
    </div>
  )
}
