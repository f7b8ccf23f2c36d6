import { Info } from './icons.js'
import { useId, useState } from 'react'
import type { ReactNode } from 'react'

interface NumProps {
  /** With its unit. */
  readonly value: ReactNode
  /** How the number is made, in a sentence. */
  readonly why: ReactNode
  /** What the number is, for readers of the screen. */
  readonly label: string
}

/** A number with the reason that it is what it is. */
export function Num({ value, why, label }: NumProps) {
  const [isOpen, setOpen] = useState(false)
  const id = useId()
  return (
    <span className="why">
      <span className="num">{value}</span>
      <button
        type="button"
        className="why-button"
        aria-label={label}
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
        onKeyDown={({ key }) => key === 'Escape' && setOpen(false)}
        onBlur={() => setOpen(false)}
      >
        <Info size={12} aria-hidden="true" />
      </button>
      <span id={id} className="why-text" hidden={!isOpen} role="status">
        {why}
      </span>
    </span>
  )
}
