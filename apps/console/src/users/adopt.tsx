import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { rpc } from '../api/client.js'
import { adoptable } from '../api/queries/users.js'
import type { AdoptableRecord } from '../api/queries/users.js'
import { useChange } from '../api/use-change.js'
import { Action } from '../form/form.js'
import { noValue } from '../format/numbers.js'
import { PlainTable } from '../list/plain-table.js'
import type { ClusterRecord } from '../shell/use-cluster.js'
import { Loaded } from '../state/loaded.js'
import { Dialog } from '../ui/dialog.js'
import { toast } from '../ui/toast.js'
import { t } from '../words/text.js'

/** Makes users that others created in the cluster users of Roost. */
export function AdoptButton({ cluster }: { readonly cluster: ClusterRecord }) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Action onClick={() => setOpen(true)}>{t('adopt.open')}</Action>
      {isOpen && <Adopt cluster={cluster} onClose={() => setOpen(false)} />}
    </>
  )
}

function Adopt({ cluster, onClose }: { readonly cluster: ClusterRecord; readonly onClose: () => void }) {
  const found = useQuery(adoptable(cluster.id))
  return (
    <Dialog open wide onClose={onClose} title={t('adopt.title', { cluster: cluster.name })}>
      <p>{t('adopt.effect')}</p>
      <Loaded query={found}>
        {({ objects }) =>
          objects.length === 0 ? (
            <p className="muted">{t('adopt.none')}</p>
          ) : (
            <PlainTable label={t('adopt.title', { cluster: cluster.name })} headings={headings()}>
              {objects.map((user) => (
                <Row key={`${user.login} ${user.account} ${user.domain ?? ''}`} user={user} cluster={cluster.id} />
              ))}
            </PlainTable>
          )
        }
      </Loaded>
    </Dialog>
  )
}

function headings(): readonly string[] {
  return [t('adopt.login'), t('adopt.account'), t('adopt.name'), t('adopt.source'), t('job.actions')]
}

interface RowProps {
  readonly user: AdoptableRecord
  readonly cluster: number
}

function Row({ user: { login, account, domain, user, source, problem }, cluster }: RowProps) {
  const adopt = useChange(
    'users',
    () => rpc.users.adopt.mutate({ id: cluster, login, account, ...(domain === null ? {} : { domain }) }),
    () => toast(t('adopt.done', { name: user ?? login })),
  )
  return (
    <tr>
      <th scope="row" className="mono">
        {login}
      </th>
      <td className="mono">{account}</td>
      <td>{user ?? noValue}</td>
      <td className="mono">{source}</td>
      <td>
        <Action small isBusy={adopt.isPending} reason={problem ?? undefined} onClick={() => adopt.mutate(undefined)}>
          {t('adopt.adopt')}
        </Action>
        {problem !== null && <p className="muted small">{problem}</p>}
      </td>
    </tr>
  )
}
