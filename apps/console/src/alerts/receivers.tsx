import './alerts.css'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { rpc } from '../api/client.js'
import { readReceivers, receivers } from '../api/queries/receivers.js'
import type { ReceiverRecord } from '../api/queries/receivers.js'
import { useChange } from '../api/use-change.js'
import { idIn } from '../api/uri.js'
import { Action } from '../form/form.js'
import { RemoveAction } from '../form/remove-action.js'
import { ExportRows } from '../list/export.js'
import { PlainTable } from '../list/plain-table.js'
import { useClusters } from '../shell/use-cluster.js'
import { Loaded } from '../state/loaded.js'
import { Age } from '../ui/age.js'
import { Empty } from '../ui/empty.js'
import { Send } from '../ui/icons.js'
import { Page } from '../ui/page.js'
import { StateMark } from '../ui/state-mark.js'
import { t } from '../words/text.js'
import { AlertTabs } from './alert-tabs.js'
import { ChangeReceiver } from './change-receiver.js'
import { NewReceiver } from './new-receiver.js'

/** Where alerts are sent. */
export function Receivers() {
  const { add } = useSearch({ from: '/alerts/receivers' })
  const navigate = useNavigate({ from: '/alerts/receivers' })
  const found = useQuery(receivers())
  const setAdding = (isAdding: boolean) => void navigate({ search: { add: isAdding ? 'yes' : '' } })
  return (
    <Page
      title={t('receivers.title')}
      actions={
        <>
          <ExportRows name="receivers" reads={[readReceivers]} />
          <Action kind="primary" onClick={() => setAdding(true)}>
            {t('receivers.new')}
          </Action>
        </>
      }
    >
      <AlertTabs />
      <Loaded query={found}>{(list) => (list.length === 0 ? <None /> : <Table list={list} />)}</Loaded>
      {add !== undefined && <NewReceiver onClose={() => setAdding(false)} />}
    </Page>
  )
}

function None() {
  return (
    <div className="card">
      <Empty icon={Send} title={t('receivers.none')} next={t('receivers.none.next')} />
    </div>
  )
}

function Table({ list }: { readonly list: readonly ReceiverRecord[] }) {
  const headings = (['name', 'target', 'gets', 'state', 'delivered', 'actions'] as const).map((name) =>
    t(`receivers.column.${name}`),
  )
  return (
    <PlainTable label={t('receivers.title')} headings={headings}>
      {list.map((receiver) => (
        <Row key={receiver.id} receiver={receiver} />
      ))}
    </PlainTable>
  )
}

function Row({ receiver }: { readonly receiver: ReceiverRecord }) {
  const { name, kind, target, enabled, last_delivered_at: delivered } = receiver
  return (
    <tr>
      <th scope="row">
        <b>{name}</b>
        <p className="muted small">{t(`receivers.kind.${kind}`)}</p>
      </th>
      <td className="mono small">{target}</td>
      <td>
        <Scope receiver={receiver} />
      </td>
      <td>
        <StateMark tone={enabled ? 'ok' : 'mute'} label={t(enabled ? 'ui.enabled' : 'ui.disabled')} />
      </td>
      <td>
        <Age at={delivered} />
        <LastError receiver={receiver} />
      </td>
      <td>
        <Actions receiver={receiver} />
      </td>
    </tr>
  )
}

/** Which alerts a receiver gets. */
function Scope({ receiver: { cluster, least_severity: least } }: { readonly receiver: ReceiverRecord }) {
  const { all } = useClusters()
  const name = cluster === null ? undefined : all.find(({ id }) => id === idIn(cluster))?.name
  return (
    <>
      {t(`receivers.least.${least}`)}
      <p className="muted small">{name ?? cluster ?? t('receivers.everyCluster')}</p>
    </>
  )
}

function LastError({ receiver: { last_error: error, last_error_at: at } }: { readonly receiver: ReceiverRecord }) {
  if (error === '') return null
  return (
    <p className="field-error receiver-error">
      {error} <Age at={at} />
    </p>
  )
}

function Actions({ receiver }: { readonly receiver: ReceiverRecord }) {
  const { id, name, enabled } = receiver
  const [isChanging, setChanging] = useState(false)
  const test = useChange('receivers', () => rpc.alertReceivers.test.mutate({ id }))
  const toggle = useChange('receivers', () => rpc.alertReceivers.change.mutate({ id, change: { enabled: !enabled } }))
  return (
    <>
      <div className="row-actions">
        <Action small isBusy={test.isPending} onClick={() => test.mutate(undefined)}>
          {t('receivers.test')}
        </Action>
        <Action small onClick={() => setChanging(true)}>
          {t('receivers.change')}
        </Action>
        <Action small isBusy={toggle.isPending} onClick={() => toggle.mutate(undefined)}>
          {t(enabled ? 'ui.disable' : 'ui.enable')}
        </Action>
        <RemoveAction
          topic="receivers"
          remove={() => rpc.alertReceivers.remove.mutate({ id })}
          title={t('receivers.remove.title', { name })}
          action={t('receivers.remove.action')}
          effect={t('receivers.remove.effect')}
          done={t('receivers.removed', { name })}
        />
      </div>
      {isChanging && <ChangeReceiver receiver={receiver} onClose={() => setChanging(false)} />}
      {test.data !== undefined && <TestResult result={test.data} />}
    </>
  )
}

function TestResult({ result }: { readonly result: { readonly delivered: boolean; readonly error: string } }) {
  return (
    <p role="status" className={result.delivered ? 'small receiver-error' : 'field-error receiver-error'}>
      {result.delivered ? t('receivers.testDelivered') : t('receivers.testFailed', { error: result.error })}
    </p>
  )
}
