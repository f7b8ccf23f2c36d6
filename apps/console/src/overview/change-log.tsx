import type { AuditRecord } from '../api/queries/audit.js'
import { Age } from '../ui/age.js'
import { Empty } from '../ui/empty.js'
import { History } from '../ui/icons.js'
import { t } from '../words/text.js'

/** Changes in sentences, the latest first. */
export function ChangeLog({ events }: { readonly events: readonly AuditRecord[] }) {
  if (events.length === 0)
    return (
      <Empty icon={History} title={t('overview.noChanges')}>
        <p>{t('overview.noChanges.next')}</p>
      </Empty>
    )
  return (
    <ul className="change-log">
      {events.map((event) => (
        <li key={event.id}>
          <span className="muted">
            <Age at={event.at} />
          </span>
          <span>{changeText(event)}</span>
        </li>
      ))}
    </ul>
  )
}

const sentences = { create: 'audit.create', change: 'audit.change', remove: 'audit.remove' } as const

/** What an event says in a sentence. */
function changeText({ operator, action, resource, resource_id: id }: AuditRecord): string {
  const what = `${resource.replaceAll('_', ' ')}${id === null ? '' : ` ${id}`}`
  if (action === 'create' || action === 'change' || action === 'remove') return t(sentences[action], { operator, what })
  return t('audit.other', { operator, action: action.replaceAll('_', ' '), what })
}
