import './plain-table.css'
import type { ReactNode } from 'react'

interface PlainTableProps {
  readonly label: string
  readonly headings: readonly string[]
  readonly children: ReactNode
}

/** A table of few rows, with their actions at the right. */
export function PlainTable({ label, headings, children }: PlainTableProps) {
  return (
    <div className="table-scroll card" tabIndex={0} role="region" aria-label={label}>
      <table className="plain">
        <thead>
          <tr>
            {headings.map((heading) => (
              <th key={heading} scope="col">
                {heading}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </div>
  )
}
