import './change-log.css'
import { Link } from '@tanstack/react-router'
import type { AuditRecord } from '../api/queries/audit.js'
import { Age } from '../ui/age.js'
import { Empty } from '../ui/empty.js'
import { History } from '../ui/icons.js'
import { t, tOr } from '../words/text.js'

/** Changes in sentences, the latest first. The time of each opens what it changed. */
export function ChangeLog({ events }: { readonly events: readonly AuditRecord[] }) {
  if (events.length === 0)
    return <Empty icon={History} title={t('overview.noChanges')} next={t('overview.noChanges.next')} />
  return (
    <ul className="change-log">
      {events.map((event) => (
        <li key={event.id}>
          <Link to="/audit" search={(old) => ({ ...old, event: String(event.id) })}>
            <Age at={event.at} />
          </Link>
          <span>{changeText(event)}</span>
        </li>
      ))}
    </ul>
  )
}

const sentences = [
  'create',
  'change',
  'remove',
  'set_storage',
  'unset_storage',
  'set_identity',
  'unset_identity',
  'rotate',
  'revoke',
  'cancel',
  'confirm',
  'adopt',
  'reapply',
] as const

/** Returns what an event says in a sentence. */
function changeText({ operator, action, resource, resource_id: id, name }: AuditRecord): string {
  const what = [tOr(`record.${resource}`), name ?? id].filter((part) => part !== null).join(' ')
  const known = sentences.find((one) => one === action)
  if (known !== undefined) return t(`audit.${known}`, { operator, what })
  return t('audit.other', { operator, action: action.replaceAll('_', ' '), what })
}
