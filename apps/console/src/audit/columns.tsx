import { Link } from '@tanstack/react-router'
import type { AuditRecord } from '../api/queries/audit.js'
import { noValue } from '../format/numbers.js'
import { Time } from '../ui/age.js'
import type { Column } from '../ui/data-table.js'
import { Tag } from '../ui/state-mark.js'
import { t, tOr } from '../words/text.js'
import { RecordLink } from './record-link.js'

export function auditColumns(): readonly Column<AuditRecord>[] {
  return [
    {
      key: 'at',
      heading: t('audit.at'),
      sort: 'at',
      first: 'descending',
      width: 190,
      cell: ({ id, at }) => (
        <Link to="/audit" search={(old) => ({ ...old, event: String(id) })}>
          <Time at={at} />
        </Link>
      ),
    },
    { key: 'operator', heading: t('audit.operator'), width: 150, cell: ({ operator }) => operator || noValue },
    {
      key: 'action',
      heading: t('audit.action'),
      width: 150,
      cell: ({ action }) => <Tag>{tOr(`audit.verb.${action}`)}</Tag>,
    },
    { key: 'resource', heading: t('audit.record'), width: 210, cell: (event) => <RecordLink event={event} /> },
    { key: 'changes', heading: t('audit.changes'), cell: ({ changes }) => <Changes changes={changes} /> },
    {
      key: 'address',
      heading: t('audit.address'),
      width: 140,
      cell: ({ address }) => <span className="mono">{address}</span>,
    },
  ]
}

function Changes({ changes }: Pick<AuditRecord, 'changes'>) {
  const text = Object.entries(changes)
    .map(([field, change]) => `${field}: ${changeText(change)}`)
    .join(' · ')
  return text === '' ? <span className="muted">{noValue}</span> : <span title={text}>{text}</span>
}

/** Returns `before → after`, or the value alone. */
export function changeText(change: unknown): string {
  if (!Array.isArray(change) || change.length !== 2) return valueText(change)
  const [before, after] = change as readonly unknown[]
  return before === null || before === undefined ? valueText(after) : `${valueText(before)} → ${valueText(after)}`
}

function valueText(value: unknown): string {
  if (value === null || value === undefined || value === '') return noValue
  return typeof value === 'string' ? value : JSON.stringify(value)
}
