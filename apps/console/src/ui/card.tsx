import './card.css'
import { useId } from 'react'
import type { ReactNode } from 'react'

interface CardProps {
  readonly title: string
  /** A link or a mark at the right of the title. */
  readonly aside?: ReactNode
  readonly className?: string
  readonly children: ReactNode
}

/** A part of a screen with its title. */
export function Card({ title, aside, className = '', children }: CardProps) {
  const id = useId()
  return (
    <section className={`card ${className}`} aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {aside}
      </header>
      <div className="card-body">{children}</div>
    </section>
  )
}

/** Names and values, one a line. */
export function Facts({ facts }: { readonly facts: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className="defs">
      {facts.map(([name, value]) => (
        <Fact key={name} name={name} value={value} />
      ))}
    </dl>
  )
}

function Fact({ name, value }: { readonly name: string; readonly value: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </>
  )
}
