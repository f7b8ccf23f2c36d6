import './empty.css'
import type { Icon } from './icons.js'
import type { ReactNode } from 'react'
import { t } from '../words/text.js'

interface EmptyProps {
  readonly icon?: Icon
  readonly title: string
  /** A sentence about the next step. */
  readonly next?: string
  /** What makes it not empty. */
  readonly children?: ReactNode
}

/** Nothing to show, with the next step. */
export function Empty({ icon: Icon, title, next, children }: EmptyProps) {
  const hasNext = next !== undefined || children !== undefined
  return (
    <div className="empty">
      {Icon !== undefined && <Icon size={26} strokeWidth={1.5} aria-hidden="true" />}
      <p className="empty-title">{title}</p>
      {hasNext && (
        <div className="empty-next">
          {next !== undefined && <p>{next}</p>}
          {children}
        </div>
      )}
    </div>
  )
}

interface FailedProps {
  /** A sentence for people. */
  readonly message: string
  readonly onRetry: () => void
}

/** What could not be read, with a way to try again. */
export function Failed({ message, onRetry }: FailedProps) {
  return (
    <div className="empty failed" role="alert">
      <p className="empty-title">{t('ui.failed')}</p>
      <p className="empty-next">{message}</p>
      <button type="button" className="btn s" onClick={onRetry}>
        {t('ui.retry')}
      </button>
    </div>
  )
}

/** A line above values that are older than they should be. */
export function Stale({ children }: { readonly children: ReactNode }) {
  return (
    <p className="banner warn" role="status">
      {children}
    </p>
  )
}

/** Keeps the space of what is being read. */
export function Skeleton({ height, lines }: { readonly height?: number; readonly lines?: number }) {
  return (
    <div className="skeleton" role="status" style={height === undefined ? undefined : { height }}>
      <span className="sr">{t('ui.loading')}</span>
      {Array.from({ length: lines ?? 0 }, (_, i) => (
        // eslint-disable-next-line react/no-array-index-key -- lines without content
        <i key={i} aria-hidden="true" />
      ))}
    </div>
  )
}
