import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { rpc } from '../api/client.js'
import { operators } from '../api/queries/access.js'
import type { OperatorRecord } from '../api/queries/access.js'
import { useSession } from '../api/session-context.js'
import { Action } from '../form/form.js'
import { Loaded } from '../state/loaded.js'
import { Age } from '../ui/age.js'
import { Confirm } from '../ui/dialog.js'
import { StateMark } from '../ui/state-mark.js'
import { toast } from '../ui/toast.js'
import { t } from '../words/text.js'
import { NewKey } from './new-key.js'
import { NewOperator } from './new-operator.js'
import { PlainTable } from '../list/plain-table.js'
import { useChange } from '../api/use-change.js'

/** People and programs with a role each. */
export function Operators() {
  const found = useQuery(operators())
  const [isAdding, setAdding] = useState(false)
  const headings = (['name', 'role', 'state', 'keys', 'lastUsed', 'actions'] as const).map((name) =>
    t(`access.${name}`),
  )
  return (
    <>
      <div className="form-actions">
        <Action kind="primary" onClick={() => setAdding(true)}>
          {t('access.newOperator')}
        </Action>
      </div>
      <Loaded query={found}>
        {(list) => (
          <PlainTable label={t('access.tab.operators')} headings={headings}>
            {list.map((operator) => (
              <Row key={operator.id} operator={operator} />
            ))}
          </PlainTable>
        )}
      </Loaded>
      {isAdding && <NewOperator onClose={() => setAdding(false)} />}
    </>
  )
}

function Row({ operator }: { readonly operator: OperatorRecord }) {
  const { id, name, role, enabled, keys, last_used: used } = operator
  const { session } = useSession()
  const [asks, setAsks] = useState<'key' | 'remove' | null>(null)
  const change = useChange('access', (change: { readonly enabled?: boolean; readonly role?: OperatorRecord['role'] }) =>
    rpc.operators.change.mutate({ id, change }),
  )
  const remove = useChange(
    'access',
    () => rpc.operators.remove.mutate({ id }),
    () => toast(t('access.removed', { name })),
  )
  const self = session.operator === name ? t('access.yourself') : undefined
  return (
    <tr>
      <th scope="row">
        <b>{name}</b>
      </th>
      <td>{t(`account.role.${role}`)}</td>
      <td>
        <StateMark tone={enabled ? 'ok' : 'mute'} label={t(enabled ? 'ui.enabled' : 'ui.disabled')} />
      </td>
      <td className="num">{keys}</td>
      <td>
        <Age at={used} />
      </td>
      <td>
        <div className="row-actions">
          <Action small onClick={() => setAsks('key')}>
            {t('access.newKey')}
          </Action>
          <Action
            small
            reason={self}
            isBusy={change.isPending}
            onClick={() => change.mutate({ role: role === 'admin' ? 'read_only' : 'admin' })}
          >
            {t(role === 'admin' ? 'access.makeReadOnly' : 'access.makeAdmin')}
          </Action>
          <Action small reason={self} isBusy={change.isPending} onClick={() => change.mutate({ enabled: !enabled })}>
            {t(enabled ? 'ui.disable' : 'ui.enable')}
          </Action>
          <Action small reason={self} onClick={() => setAsks('remove')}>
            {t('ui.remove')}
          </Action>
        </div>
        {asks === 'key' && <NewKey operator={operator} onClose={() => setAsks(null)} />}
        <Confirm
          open={asks === 'remove'}
          onClose={() => setAsks(null)}
          onConfirm={() => remove.mutate(undefined)}
          title={t('access.remove.title', { name })}
          action={t('access.remove.action')}
          typed={name}
          isBusy={remove.isPending}
        >
          <p>{t('access.remove.effect', { count: keys })}</p>
        </Confirm>
      </td>
    </tr>
  )
}
