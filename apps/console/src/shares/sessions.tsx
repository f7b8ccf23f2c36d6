import { useQuery } from '@tanstack/react-query'
import { errorText } from '../api/error-text.js'
import { shareSessions } from '../api/queries/shares.js'
import type { SessionsOfShare } from '../api/queries/shares.js'
import { noValue } from '../format/numbers.js'
import { PlainTable } from '../list/plain-table.js'
import { Time } from '../ui/age.js'
import { Card } from '../ui/card.js'
import { Skeleton, Stale } from '../ui/empty.js'
import { t } from '../words/text.js'

/** The clients that have a share mounted now. */
export function Sessions({ id, isNfs }: { readonly id: number; readonly isNfs: boolean }) {
  const { data, error, dataUpdatedAt } = useQuery(shareSessions(id))
  const count = data?.is_in_force === true && error === null ? data.sessions.length : undefined
  return (
    <Card
      title={t('shares.sessions')}
      aside={count !== undefined && <span role="status">{t('shares.sessions.count', { count })}</span>}
    >
      {error !== null && data !== undefined && (
        <Stale>
          {errorText(error)} {t('shares.sessions.readAt')} <Time at={new Date(dataUpdatedAt).toISOString()} />
        </Stale>
      )}
      {data !== undefined && <Clients found={data} isNfs={isNfs} />}
      {data === undefined && (error === null ? <Skeleton lines={3} /> : <p className="muted">{errorText(error)}</p>)}
    </Card>
  )
}

function Clients({ found, isNfs }: { readonly found: SessionsOfShare; readonly isNfs: boolean }) {
  if (!found.is_in_force) return <p className="muted">{t('shares.sessions.notDeployed')}</p>
  if (found.sessions.length === 0) return <p className="muted">{t('shares.sessions.none')}</p>
  return (
    <>
      <PlainTable
        label={t('shares.sessions')}
        headings={[t('shares.sessions.client'), t('shares.sessions.user')]}
        isPart
      >
        {found.sessions.map(({ client, user }) => (
          <tr key={`${client} ${user}`}>
            <th scope="row">
              <code>{client}</code>
            </th>
            <td>{user ?? noValue}</td>
          </tr>
        ))}
      </PlainTable>
      {isNfs && <p className="muted card-hint">{t('shares.sessions.nfs')}</p>}
    </>
  )
}
