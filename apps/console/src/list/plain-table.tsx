import './plain-table.css'
import type { ReactNode } from 'react'

interface Heading {
  readonly text: string
  readonly className?: 'r' | 'phase'
  /** Only for screen readers, such as that of the actions. */
  readonly isHidden?: boolean
}

interface PlainTableProps {
  readonly label: string
  readonly headings: readonly (string | Heading)[]
  /** In a card or a dialog, it is a part of that. */
  readonly isPart?: boolean
  readonly children: ReactNode
}

/** A table of few rows, with their actions at the right. */
export function PlainTable({ label, headings, isPart = false, children }: PlainTableProps) {
  return (
    <div
      className={isPart ? 'table-scroll' : 'table-scroll card'}
      tabIndex={0}
      role={isPart ? 'group' : 'region'}
      aria-label={label}
    >
      <table className="plain">
        <thead>
          <tr>
            {headings.map((heading) => {
              const {
                text,
                className,
                isHidden = false,
              }: Heading = typeof heading === 'string' ? { text: heading } : heading
              return (
                <th key={text} scope="col" className={className}>
                  {isHidden ? <span className="sr">{text}</span> : text}
                </th>
              )
            })}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  )
}
