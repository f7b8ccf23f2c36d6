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
function changeText({ operator, action, resource, resource_id: id, changes }: AuditRecord): string {
  const what = [tOr(`record.${resource}`), nameIn(changes) ?? id].filter((part) => part !== null).join(' ')
  const known = sentences.find((one) => one === action)
  if (known !== undefined) return t(`audit.${known}`, { operator, what })
  return t('audit.other', { operator, action: action.replaceAll('_', ' '), what })
}

/** Returns the name that the record got, or had before its removal; undefined where the event does not say it. */
function nameIn(changes: AuditRecord['changes']): string | undefined {
  for (const field of ['name', 'user', 'hostname', 'version']) {
    const pair = changes[field]
    if (!Array.isArray(pair)) continue
    const [before, after] = pair as unknown[]
    if (typeof after === 'string') return after
    if (typeof before === 'string') return before
  }
  return undefined
}
