import { useQuery } from '@tanstack/react-query'
import { latestChanges } from '../api/queries/audit.js'
import { Loaded } from '../state/loaded.js'
import { Card } from '../ui/card.js'
import { t } from '../words/text.js'
import { ChangeLog } from './change-log.js'

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
