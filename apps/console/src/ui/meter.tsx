import './meter.css'

interface MeterProps {
  readonly pct: number | null
  /** The value in a sentence, for readers of the screen. */
  readonly label: string
  /** Percent at which it counts as full. */
  readonly limit?: number
  readonly slim?: boolean
}

/** From which percent used a device needs a person. */
export const fullness = { warn: 80, bad: 90 } as const

export function fullnessTone(pct: number): '' | 'warn' | 'bad' {
  if (pct >= fullness.bad) return 'bad'
  return pct >= fullness.warn ? 'warn' : ''
}

/** How much of something is used. */
export function Meter({ pct, label, limit, slim = false }: MeterProps) {
  const used = Math.max(0, Math.min(100, pct ?? 0))
  return (
    <span className={slim ? 'meter slim' : 'meter'} role="img" aria-label={label}>
      <i className={fullnessTone(used)} style={{ width: `${used}%` }} />
      {limit !== undefined && <b style={{ left: `${limit}%` }} />}
    </span>
  )
}

interface BarsProps {
  /** How many fall into each step of a hundredth divided by their number. */
  readonly counts: readonly number[]
  readonly label: string
  readonly marks: readonly [string, string, string]
}

/** A histogram of percent used: the tail is what an operator looks for, so that heights grow with the square root. */
export function Bars({ counts, label, marks }: BarsProps) {
  const most = Math.sqrt(Math.max(1, ...counts))
  const step = 100 / counts.length
  return (
    <div className="bars" role="img" aria-label={label}>
      <div className="bars-area">
        {counts.map((count, i) => (
          <i
            // eslint-disable-next-line react/no-array-index-key -- its position is what it is
            key={i}
            className={count === 0 ? 'none' : fullnessTone(i * step)}
            style={{ height: count === 0 ? 2 : `${Math.max(7, (100 * Math.sqrt(count)) / most)}%` }}
          />
        ))}
      </div>
      <div className="bars-axis">
        {marks.map((mark) => (
          <span key={mark}>{mark}</span>
        ))}
      </div>
    </div>
  )
}
