import './bulk.css'
import { useState } from 'react'
import type { ReactNode } from 'react'
import { Action } from '../form/form.js'
import { t } from '../words/text.js'
import type { Selection } from './use-selection.js'

interface BulkBarProps<R, Task extends string> {
  readonly selection: Selection<R>
  /** How many rows match. */
  readonly total: number
  /** What can be done with the selected rows. */
  readonly tasks: readonly { readonly task: Task; readonly label: string }[]
  /** Returns the dialog of a task for the rows that were selected when it was chosen. */
  readonly children: (task: Task, rows: readonly R[], onClose: () => void) => ReactNode
}

/** Appears above a list while rows are selected. */
export function BulkBar<R, Task extends string>({ selection, total, tasks, children }: BulkBarProps<R, Task>) {
  const [open, setOpen] = useState<{ readonly task: Task; readonly rows: readonly R[] }>()
  const { rows, replace } = selection
  return (
    <>
      {rows.length > 0 && (
        <div className="bulk-bar" role="group" aria-label={t('bulk.title')}>
          <span role="status">{t('bulk.selected', { selected: rows.length, total })}</span>
          {tasks.map(({ task, label }) => (
            <Action key={task} small onClick={() => setOpen({ task, rows })}>
              {label}
            </Action>
          ))}
          <button type="button" className="btn s ghost" onClick={() => replace([])}>
            {t('bulk.clear')}
          </button>
        </div>
      )}
      {open !== undefined && children(open.task, open.rows, () => setOpen(undefined))}
    </>
  )
}
