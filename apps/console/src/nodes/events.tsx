import { useQuery } from '@tanstack/react-query'
import { nodeChanges } from '../api/queries/node.js'
import { ChangeLog } from '../overview/change-log.js'
import { Loaded } from '../state/loaded.js'
import { Card } from '../ui/card.js'
import { t } from '../words/text.js'

/** Who changed the node, and what happened to it. */
export function NodeEvents({ id }: { readonly id: number }) {
  const query = useQuery(nodeChanges(id))
  return (
    <Card title={t('overview.changes')}>
      <Loaded query={query}>{({ objects }) => <ChangeLog events={objects} />}</Loaded>
    </Card>
  )
}
