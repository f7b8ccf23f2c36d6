import './alerts.css'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { rpc } from '../api/client.js'
import { readSilences, silences } from '../api/queries/silences.js'
import type { SilenceRecord } from '../api/queries/silences.js'
import { useChange } from '../api/use-change.js'
import { idIn } from '../api/uri.js'
import { Action } from '../form/form.js'
import { lazyForm } from '../form/lazy-form.js'
import { ExportRows } from '../list/export.js'
import { PlainTable } from '../list/plain-table.js'
import { NoCluster } from '../shell/for-cluster.js'
import { useClusters } from '../shell/use-cluster.js'
import { Loaded } from '../state/loaded.js'
import { Time } from '../ui/age.js'
import { useNow } from '../ui/clock.js'
import { Empty } from '../ui/empty.js'
import { Bell } from '../ui/icons.js'
import { Page } from '../ui/page.js'
import { StateMark, Tag } from '../ui/state-mark.js'
import { toast } from '../ui/toast.js'
import { t } from '../words/text.js'
import { AlertTabs } from './alert-tabs.js'

const NewSilence = lazyForm(() => import('./new-silence.js').then(({ NewSilence }) => NewSilence))
const ChangeSilence = lazyForm(() => import('./change-silence.js').then(({ ChangeSilence }) => ChangeSilence))

/** The clocks of the server and the browser differ a little. */
const skewMs = 30_000

/** Alerts that need no action for a time. */
export function Silences() {
  const { add, ...asked } = useSearch({ from: '/alerts/silences' })
  const { code = '', node = '', node_id: nodeId, device = '', subject = '' } = asked
  const navigate = useNavigate({ from: '/alerts/silences' })
  const { chosen } = useClusters()
  const found = useQuery(silences())
  const open = () => void navigate({ search: { add: 'yes' } })
  const close = () => void navigate({ search: {} })
  return (
    <Page
      title={t('silences.title')}
      actions={
        <>
          <ExportRows name="silences" reads={[readSilences]} />
          <Action kind="primary" onClick={open}>
            {t('silences.new')}
          </Action>
        </>
      }
    >
      <AlertTabs />
      {add !== undefined && chosen === undefined && <NoCluster />}
      <Loaded query={found}>{(list) => (list.length === 0 ? <None /> : <Table list={list} />)}</Loaded>
      {add !== undefined && chosen !== undefined && (
        <NewSilence
          key={`${code} ${node} ${nodeId} ${device} ${subject}`}
          cluster={chosen}
          about={{ code, node, device, subject }}
          nodeId={nodeId === undefined ? undefined : Number(nodeId)}
          onClose={close}
        />
      )}
    </Page>
  )
}

function None() {
  return (
    <div className="card">
      <Empty icon={Bell} title={t('silences.none')} next={t('silences.none.next')} />
    </div>
  )
}

function Table({ list }: { readonly list: readonly SilenceRecord[] }) {
  const headings = (['what', 'state', 'ends', 'comment', 'operator', 'actions'] as const).map((name) =>
    t(`silences.${name}`),
  )
  return (
    <PlainTable label={t('silences.title')} headings={headings}>
      {list.map((silence) => (
        <Row key={silence.id} silence={silence} />
      ))}
    </PlainTable>
  )
}

function Row({ silence }: { readonly silence: SilenceRecord }) {
  const { id, ends_at: ends, comment, operator, until_worse: untilWorse } = silence
  const [isChanging, setChanging] = useState(false)
  const end = useChange(
    'alerts',
    () => rpc.alertSilences.remove.mutate({ id }),
    () => toast(t('silences.ended')),
  )
  return (
    <tr>
      <th scope="row">
        <What silence={silence} />
      </th>
      <td>
        <SilenceState silence={silence} />
      </td>
      <td>
        <Time at={ends} /> {untilWorse && <Tag>{t('silences.orWorse')}</Tag>}
      </td>
      <td>{comment}</td>
      <td>{operator}</td>
      <td>
        <div className="row-actions">
          <Action small onClick={() => setChanging(true)}>
            {t('silences.change')}
          </Action>
          <Action small isBusy={end.isPending} onClick={() => end.mutate(undefined)}>
            {t('silences.end')}
          </Action>
        </div>
        {isChanging && <ChangeSilence silence={silence} onClose={() => setChanging(false)} />}
      </td>
    </tr>
  )
}

/** All that an alert must have to be silent. */
function What({ silence: { matchers, hostname, deviceName } }: { readonly silence: SilenceRecord }) {
  const { all } = useClusters()
  const { code, subject, cluster } = matchers
  const clusterName = cluster === null ? '' : (all.find(({ id }) => id === idIn(cluster))?.name ?? cluster)
  const parts = [hostname, deviceName, subject ?? '', clusterName].filter(Boolean)
  return (
    <span className="silence-what">
      <b className="mono">{code ?? t('silences.everyCode')}</b>
      {parts.map((part) => (
        <Tag key={part}>{part}</Tag>
      ))}
    </span>
  )
}

function SilenceState({ silence: { starts_at: starts, ends_at: ends } }: { readonly silence: SilenceRecord }) {
  const now = useNow()
  if (Date.parse(ends) <= now) return <StateMark tone="mute" label={t('silences.state.over')} />
  if (Date.parse(starts) > now + skewMs)
    return (
      <>
        <StateMark tone="mute" label={t('silences.state.later')} />
        <p className="muted small">
          <Time at={starts} />
        </p>
      </>
    )
  return <StateMark tone="ok" label={t('silences.state.active')} />
}
