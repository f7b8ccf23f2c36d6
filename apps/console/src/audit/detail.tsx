import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { auditEvent } from '../api/queries/audit.js'
import type { AuditRecord } from '../api/queries/audit.js'
import { noValue } from '../format/numbers.js'
import { PlainTable } from '../list/plain-table.js'
import { Loaded } from '../state/loaded.js'
import { Time } from '../ui/age.js'
import { Facts } from '../ui/card.js'
import { Dialog } from '../ui/dialog.js'
import { t, tOr } from '../words/text.js'
import { changeText } from './columns.js'
import { RecordLink } from './record-link.js'

interface AuditDetailProps {
  readonly id: number
  readonly onClose: () => void
}

/** Everything that the audit knows of one change. */
export function AuditDetail({ id, onClose }: AuditDetailProps) {
  const found = useQuery(auditEvent(id))
  return (
    <Dialog open onClose={onClose} title={t('audit.detail', { id: String(id) })} wide>
      <Loaded query={found}>{(event) => <Event event={event} onClose={onClose} />}</Loaded>
    </Dialog>
  )
}

function Event({ event, onClose }: { readonly event: AuditRecord; readonly onClose: () => void }) {
  const { at, operator, action, address, request_id: request, key_id: key, changes } = event
  const rows = Object.entries(changes)
  return (
    <>
      <Facts
        facts={[
          [t('audit.at'), <Time key="at" at={at} />],
          [t('audit.operator'), operator || noValue],
          [t('audit.action'), tOr(`audit.verb.${action}`)],
          [t('audit.record'), <RecordLink key="record" event={event} />],
          [t('audit.address'), address || noValue],
          [t('audit.key'), key === null ? noValue : String(key)],
          [
            t('audit.request'),
            <Link key="request" to="/audit" search={{ request_id: request }} onClick={onClose}>
              <code>{request}</code>
            </Link>,
          ],
        ]}
      />
      {rows.length > 0 && (
        <PlainTable label={t('audit.changes')} headings={[t('audit.field'), t('audit.difference')]} isPart>
          {rows.map(([field, change]) => (
            <tr key={field}>
              <th scope="row">
                <code>{field}</code>
              </th>
              <td className="audit-change">{changeText(change)}</td>
            </tr>
          ))}
        </PlainTable>
      )}
    </>
  )
}
