import { useQuery } from '@tanstack/react-query'
import { History } from '../ui/icons.js'
import { latestChanges } from '../api/queries/audit.js'
import type { AuditRecord } from '../api/queries/audit.js'
import { Loaded } from '../state/loaded.js'
import { Age } from '../ui/age.js'
import { Card } from '../ui/card.js'
import { Empty } from '../ui/empty.js'
import { t } from '../words/text.js'

const shown = 10

/** Who changed what, the latest first. */
export function Changes() {
  const query = useQuery(latestChanges(shown))
  return (
    <Card title={t('overview.changes')}>
      <Loaded query={query}>{({ objects }) => <ChangeLog events={objects} />}</Loaded>
    </Card>
  )
}

function ChangeLog({ events }: { readonly events: readonly AuditRecord[] }) {
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
export function changeText({ operator, action, resource, resource_id: id }: AuditRecord): string {
  const what = `${resource.replaceAll('_', ' ')}${id === null ? '' : ` ${id}`}`
  if (action === 'create' || action === 'change' || action === 'remove') return t(sentences[action], { operator, what })
  return t('audit.other', { operator, action: action.replaceAll('_', ' '), what })
}
