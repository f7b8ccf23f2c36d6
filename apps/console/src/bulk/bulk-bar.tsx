import './bulk.css'
import type { ReactNode } from 'react'
import { t } from '../words/text.js'
import type { Selection } from './use-selection.js'

interface BulkBarProps<R> {
  readonly selection: Selection<R>
  /** How many rows match. */
  readonly total: number
  /** What can be done with the selected rows. */
  readonly children: ReactNode
}

/** Appears above a list while rows are selected. */
export function BulkBar<R>({ selection: { rows, replace }, total, children }: BulkBarProps<R>) {
  if (rows.length === 0) return null
  return (
    <div className="bulk-bar" role="group" aria-label={t('bulk.title')}>
      <span role="status">{t('bulk.selected', { selected: rows.length, total })}</span>
      {children}
      <button type="button" className="btn s ghost" onClick={() => replace([])}>
        {t('bulk.clear')}
      </button>
    </div>
  )
}
