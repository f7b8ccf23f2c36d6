import { useQuery } from '@tanstack/react-query'
import { rpc } from '../api/client.js'
import { tokens } from '../api/queries/access.js'
import { Action } from '../form/form.js'
import { Loaded } from '../state/loaded.js'
import { Time } from '../ui/age.js'
import { Empty } from '../ui/empty.js'
import { Tag } from '../ui/state-mark.js'
import { t, tOr } from '../words/text.js'
import { PlainTable } from '../list/plain-table.js'
import { useChange } from '../api/use-change.js'

/** Tokens with which nodes can still enroll. */
export function Tokens() {
  const found = useQuery(tokens())
  const revoke = useChange('access', (id: number) => rpc.tokens.revoke.mutate({ id }))
  const headings = (['token', 'cluster', 'uses', 'roles', 'expires', 'actions'] as const).map((name) =>
    t(`access.${name}`),
  )
  return (
    <Loaded query={found}>
      {(list) =>
        list.length === 0 ? (
          <div className="card">
            <Empty title={t('access.noToken')} next={t('access.noToken.next')} />
          </div>
        ) : (
          <PlainTable label={t('access.tab.tokens')} headings={headings}>
            {list.map(({ id, cluster, uses_left: uses, roles, expires }) => (
              <tr key={id}>
                <th scope="row">{id}</th>
                <td>{cluster}</td>
                <td className="num">{uses}</td>
                <td>
                  {roles.map((role) => (
                    <Tag key={role}>{tOr(`role.${role}`)}</Tag>
                  ))}
                </td>
                <td>
                  <Time at={expires} />
                </td>
                <td>
                  <Action small isBusy={revoke.isPending} onClick={() => revoke.mutate(id)}>
                    {t('access.revoke')}
                  </Action>
                </td>
              </tr>
            ))}
          </PlainTable>
        )
      }
    </Loaded>
  )
}
