import { useQuery } from '@tanstack/react-query'
import { latestChanges } from '../api/queries/audit.js'
import { Loaded } from '../state/loaded.js'
import { Card } from '../ui/card.js'
import { t } from '../words/text.js'
import { ChangeLog } from '../audit/change-log.js'

const shown = 10
/** Sessions that begin and end between the changes are left out. */
const read = 3 * shown

/** Who changed what, the latest first. */
export function Changes() {
  const query = useQuery(latestChanges(read))
  return (
    <Card title={t('overview.changes')}>
      <Loaded query={query}>
        {({ objects }) => (
          <ChangeLog events={objects.filter(({ resource }) => resource !== 'sessions').slice(0, shown)} />
        )}
      </Loaded>
    </Card>
  )
}
