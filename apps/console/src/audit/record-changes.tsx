import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { changesOf } from '../api/queries/audit.js'
import { Loaded } from '../state/loaded.js'
import { Card } from '../ui/card.js'
import { t } from '../words/text.js'
import { ChangeLog } from './change-log.js'

interface RecordChangesProps {
  /** Such as `nodes`. */
  readonly resource: string
  readonly id: number
}

/** Who changed a record, and what happened to it. */
export function RecordChanges({ resource, id }: RecordChangesProps) {
  const query = useQuery(changesOf(resource, id))
  const inAudit = (
    <Link to="/audit" search={{ resource, resource_id: String(id) }}>
      {t('nav.audit')}
    </Link>
  )
  return (
    <Card title={t('overview.changes')} aside={inAudit}>
      <Loaded query={query}>{({ objects }) => <ChangeLog events={objects} />}</Loaded>
    </Card>
  )
}
