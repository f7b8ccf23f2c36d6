import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Explainable } from '../api/queries/clusters.js'
import { t } from '../words/text.js'

interface ExplainedProps {
  readonly of: Explainable
  /** Which of its numbers; without it the link shows all of them. */
  readonly name?: string
  /** Names of metrics, separated by commas. */
  readonly metrics?: string
  readonly children: ReactNode
}

/** A number that links the nodes and devices that it is made of. */
export function Explained({ of, children, ...search }: ExplainedProps) {
  return (
    <Link className="explained" to="/explain/$of" params={{ of }} search={search} title={t('explain.link')}>
      {children}
    </Link>
  )
}
