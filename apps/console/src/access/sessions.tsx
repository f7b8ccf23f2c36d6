import { useQuery } from '@tanstack/react-query'
import { rpc } from '../api/client.js'
import { currentSession, sessions } from '../api/queries/access.js'
import type { SessionRecord } from '../api/queries/access.js'
import { Action } from '../form/form.js'
import { Loaded } from '../state/loaded.js'
import { Age, Time } from '../ui/age.js'
import { Tag } from '../ui/state-mark.js'
import { t } from '../words/text.js'
import { PlainTable } from '../list/plain-table.js'
import { useChange } from '../api/use-change.js'

/** Browsers that are logged in. */
export function Sessions() {
  const found = useQuery(sessions())
  const { data: current } = useQuery(currentSession())
  const headings = (['operator', 'client', 'address', 'created', 'lastUsed', 'ends', 'actions'] as const).map((name) =>
    t(`access.${name}`),
  )
  return (
    <Loaded query={found}>
      {(list) => (
        <PlainTable label={t('access.tab.sessions')} headings={headings}>
          {list.map((session) => (
            <Row key={session.id} session={session} isCurrent={session.id === current?.id} />
          ))}
        </PlainTable>
      )}
    </Loaded>
  )
}

function Row({ session, isCurrent }: { readonly session: SessionRecord; readonly isCurrent: boolean }) {
  const { id, operator_name: name, client, address, created, expires, last_used: used } = session
  const end = useChange('access', () => rpc.sessions.remove.mutate({ id }))
  return (
    <tr>
      <th scope="row">
        <b>{name}</b> {isCurrent && <Tag tone="info">{t('access.thisBrowser')}</Tag>}
      </th>
      <td>{client}</td>
      <td className="mono">{address}</td>
      <td>
        <Age at={created} />
      </td>
      <td>
        <Age at={used} />
      </td>
      <td>
        <Time at={expires} />
      </td>
      <td>
        <Action
          small
          reason={isCurrent ? t('access.logOutInstead') : undefined}
          isBusy={end.isPending}
          onClick={() => end.mutate(undefined)}
        >
          {t('access.end')}
        </Action>
      </td>
    </tr>
  )
}
