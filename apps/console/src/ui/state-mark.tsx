import './state-mark.css'
import type { Tone } from './tone.js'

interface StateMarkProps {
  readonly tone: Tone
  readonly label: string
  readonly title?: string
}

/** A state by shape, color and name: never by color alone. */
export function StateMark({ tone, label, title }: StateMarkProps) {
  return (
    <span className={`state ${tone}`} title={title}>
      <i aria-hidden="true" />
      <span className="state-label">{label}</span>
    </span>
  )
}

/** A short text on a background: a role, a count, a kind. */
export function Tag({
  tone,
  children,
  title,
}: {
  readonly tone?: Tone | 'info'
  readonly children: React.ReactNode
  readonly title?: string
}) {
  return (
    <span className={`tag ${tone ?? ''}`} title={title}>
      {children}
    </span>
  )
}
