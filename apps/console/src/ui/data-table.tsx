import './data-table.css'
import { useVirtualizer } from '@tanstack/react-virtual'
import type { VirtualItem } from '@tanstack/react-virtual'
import { memo, useEffect, useRef, useState } from 'react'
import type { KeyboardEvent, ReactNode } from 'react'
import { display } from '../format/display.js'
import { t } from '../words/text.js'
import { SelectAll, SelectRow, selectsByKey } from './table/row-selection.js'
import type { RowSelection } from './table/row-selection.js'

export interface Column<R> {
  readonly key: string
  readonly heading: string
  /** Pixels; without it the column shares what is left. */
  readonly width?: number
  readonly align?: 'r'
  /** The field that the server orders by; without it the column has no order. */
  readonly sort?: string
  /** The order that the first click asks for: the fullest and the newest come first. */
  readonly first?: 'descending'
  readonly cell: (row: R) => ReactNode
}

export interface DataTableProps<R> {
  readonly label: string
  readonly columns: readonly Column<R>[]
  readonly total: number
  /** Undefined until it has been read. */
  readonly rowAt: (index: number) => R | undefined
  /** Called with the rows in view once scrolling rests. */
  readonly onRange: (first: number, last: number) => void
  readonly onOpen: (row: R) => void
  readonly order: string
  readonly onOrder: (order: string) => void
  /** Shown in place of rows. */
  readonly empty: ReactNode
  /** Without it, rows cannot be selected. */
  readonly selection?: RowSelection<R> | undefined
}

const restMs = 60
/** Rows above and below: each costs a frame that scrolls fast as much as one in view. */
const overscan = 4
const rowHeights = { comfortable: 34, compact: 28 } as const

/** A table of any length, of which only the rows in view exist. */
export function DataTable<R>(props: DataTableProps<R>) {
  const { label, columns, total, rowAt, onRange, onOpen, order, onOrder, empty, selection } = props
  const scroller = useRef<HTMLDivElement>(null)
  const [active, setActive] = useState(-1)
  const rowHeight = rowHeights[display().density]
  const rows = useVirtualizer({
    count: total,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan,
    scrollPaddingStart: rowHeight,
  })
  const items = rows.getVirtualItems()
  useRestingRange(items, onRange)
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget) return
    const row = rowAt(active)
    if (row !== undefined && event.key === 'Enter') onOpen(row)
    if (selection !== undefined && selectsByKey(event, row, selection)) return event.preventDefault()
    const next = moved(event.key, active, total)
    if (next === undefined) return
    event.preventDefault()
    setActive(next)
    if (event.shiftKey && event.key.startsWith('Arrow'))
      selection?.select(
        [row, rowAt(next)].filter((each) => each !== undefined),
        true,
      )
    rows.scrollToIndex(next, { align: 'auto' })
  }
  const span = columns.length + (selection === undefined ? 0 : 1)
  return (
    // A region that scrolls must be within reach of the keyboard; the links in it are reached by Tab, too.
    <div ref={scroller} className="data-table" tabIndex={0} role="region" aria-label={label} onKeyDown={onKeyDown}>
      <table aria-rowcount={total + 1} aria-label={label}>
        <Head columns={columns} order={order} onOrder={onOrder} total={total} selection={selection} />
        <tbody>
          <Gap height={items[0]?.start ?? 0} span={span} />
          {items.map(({ index, key }) => (
            <Row
              key={key}
              row={rowAt(index)}
              isActive={index === active}
              isSelected={isSelectedIn(selection, rowAt(index))}
              {...{ index, columns, onOpen, nameOf: selection?.nameOf, onSelect: selection?.select }}
            />
          ))}
          <Gap height={rows.getTotalSize() - (items.at(-1)?.end ?? 0)} span={span} />
        </tbody>
      </table>
      {total === 0 && empty}
    </div>
  )
}

/** Reports the rows in view once scrolling rests: rows that fly past are not asked for. */
function useRestingRange(items: readonly VirtualItem[], onRange: (first: number, last: number) => void): void {
  const [first, last] = [items[0]?.index ?? 0, items.at(-1)?.index ?? 0]
  useEffect(() => {
    const timer = setTimeout(() => onRange(first, last), restMs)
    return () => clearTimeout(timer)
  }, [first, last, onRange])
}

type HeadProps<R> = Pick<DataTableProps<R>, 'columns' | 'order' | 'onOrder' | 'total' | 'selection'>

function Head<R>({ columns, order, onOrder, total, selection }: HeadProps<R>) {
  return (
    <>
      <colgroup>
        {selection !== undefined && <col className="select" />}
        {columns.map(({ key, width }) => (
          <col key={key} style={width === undefined ? undefined : { width }} />
        ))}
      </colgroup>
      <thead>
        <tr aria-rowindex={1}>
          {selection !== undefined && <SelectAll total={total} selection={selection} />}
          {columns.map((column) => (
            <Heading key={column.key} column={column} order={order} onOrder={onOrder} />
          ))}
        </tr>
      </thead>
    </>
  )
}

/** Returns the row that a key goes to; undefined for other keys. */
function moved(key: string, active: number, total: number): number | undefined {
  const steps: Readonly<Record<string, number>> = {
    ArrowDown: 1,
    ArrowUp: -1,
    PageDown: 20,
    PageUp: -20,
    Home: -total,
    End: total,
  }
  const step = steps[key]
  return step === undefined || total === 0 ? undefined : Math.max(0, Math.min(total - 1, active + step))
}

/** Returns undefined where rows cannot be selected. */
function isSelectedIn<R>(selection: RowSelection<R> | undefined, row: R | undefined): boolean | undefined {
  return selection === undefined ? undefined : row !== undefined && selection.has(row)
}

interface RowProps<R> {
  readonly index: number
  readonly row: R | undefined
  readonly columns: readonly Column<R>[]
  readonly isActive: boolean
  readonly onOpen: (row: R) => void
  /** Undefined where rows cannot be selected. */
  readonly isSelected: boolean | undefined
  readonly nameOf: RowSelection<R>['nameOf'] | undefined
  readonly onSelect: RowSelection<R>['select'] | undefined
}

function TableRow<R>({ index, row, columns, isActive, onOpen, isSelected, nameOf, onSelect }: RowProps<R>) {
  const open = () => row !== undefined && onOpen(row)
  const state = [isActive && 'active', isSelected === true && 'selected']
  return (
    <tr className={['row', ...state].filter(Boolean).join(' ')} aria-rowindex={index + 2} onDoubleClick={open}>
      {row !== undefined && isSelected !== undefined && nameOf !== undefined && onSelect !== undefined && (
        <SelectRow {...{ row, nameOf, isSelected, onSelect }} />
      )}
      {row === undefined
        ? waitingCell(columns.length + (isSelected === undefined ? 0 : 1))
        : columns.map(({ key, align, cell }) => (
            <td key={key} className={align}>
              {cell(row)}
            </td>
          ))}
    </tr>
  )
}

/** One cell for the complete row: rows that fly past are made for one frame each. */
function waitingCell(span: number) {
  return (
    <td className="waits" colSpan={span}>
      <span className="sr">{t('ui.loading')}</span>
    </td>
  )
}

/** Rows that stay the same are not rendered again while the table scrolls. */
const Row = memo(TableRow) as typeof TableRow

interface HeadingProps<R> {
  readonly column: Column<R>
  readonly order: string
  readonly onOrder: (order: string) => void
}

function Heading<R>({ column: { heading, sort, align, first }, order, onOrder }: HeadingProps<R>) {
  if (sort === undefined)
    return (
      <th scope="col" className={align}>
        {heading}
      </th>
    )
  const direction = directionOf(order, sort)
  const starts = first === 'descending' ? `-${sort}` : sort
  const next = order === starts ? (first === 'descending' ? sort : `-${sort}`) : starts
  return (
    <th scope="col" className={align} aria-sort={direction}>
      <button type="button" onClick={() => onOrder(next)}>
        {heading}
        <span aria-hidden="true">{{ ascending: '↑', descending: '↓', none: '' }[direction]}</span>
      </button>
    </th>
  )
}

function directionOf(order: string, sort: string): 'ascending' | 'descending' | 'none' {
  if (order === sort) return 'ascending'
  return order === `-${sort}` ? 'descending' : 'none'
}

/** Has the height of the rows that are not there. */
function Gap({ height, span }: { readonly height: number; readonly span: number }) {
  if (height <= 0) return null
  return (
    <tr className="gap" aria-hidden="true">
      <td colSpan={span} style={{ height }} />
    </tr>
  )
}
