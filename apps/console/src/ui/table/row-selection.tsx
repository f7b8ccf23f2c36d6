import { useEffect, useRef } from 'react'
import type { KeyboardEvent } from 'react'
import { t } from '../../words/text.js'

/** The selected rows of a table. */
export interface RowSelection<R> {
  readonly rows: readonly R[]
  readonly has: (row: R) => boolean
  /** Adds rows, or removes them. */
  readonly select: (rows: readonly R[], isOn: boolean) => void
  /** Selects all rows of the table, also those that have not been read. */
  readonly selectAll: () => void
  readonly isReading: boolean
  /** Returns the name of a row for screen readers. */
  readonly nameOf: (row: R) => string
}

/** Selects the row by the space bar, and all rows by Ctrl+A. Returns false for other keys. */
export function selectsByKey<R>(event: KeyboardEvent, row: R | undefined, selection: RowSelection<R>): boolean {
  const isAll = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'a'
  if (isAll) selection.selectAll()
  if (event.key === ' ' && row !== undefined) selection.select([row], !selection.has(row))
  return isAll || event.key === ' '
}

interface SelectAllProps<R> {
  /** How many rows the table has. */
  readonly total: number
  readonly selection: RowSelection<R>
}

/** The heading of the checkboxes: selects all rows, or none where some are selected. */
export function SelectAll<R>({ total, selection }: SelectAllProps<R>) {
  const { rows, select, selectAll, isReading } = selection
  const box = useRef<HTMLInputElement>(null)
  const isSome = rows.length > 0
  const isAll = isSome && rows.length >= total
  useEffect(() => {
    if (box.current !== null) box.current.indeterminate = isSome && !isAll
  }, [isSome, isAll])
  const name = isSome ? t('bulk.none') : t('bulk.all', { total })
  return (
    <th scope="col" className="select">
      <input
        ref={box}
        type="checkbox"
        aria-label={name}
        title={name}
        aria-busy={isReading}
        checked={isAll}
        onChange={() => (isSome ? select(rows, false) : selectAll())}
      />
    </th>
  )
}

interface SelectRowProps<R> {
  readonly row: R
  readonly nameOf: RowSelection<R>['nameOf']
  readonly isSelected: boolean
  readonly onSelect: RowSelection<R>['select']
}

export function SelectRow<R>({ row, nameOf, isSelected, onSelect }: SelectRowProps<R>) {
  return (
    <td className="select" onDoubleClick={(event) => event.stopPropagation()}>
      <input
        type="checkbox"
        aria-label={t('bulk.row', { name: nameOf(row) })}
        checked={isSelected}
        onChange={() => onSelect([row], !isSelected)}
      />
    </td>
  )
}
