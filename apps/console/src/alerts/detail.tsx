import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { pathOf } from '../api/base.js'
import { rpc } from '../api/client.js'
import { errorText } from '../api/error-text.js'
import { alert as alertQuery } from '../api/queries/alerts.js'
import type { AlertRecord } from '../api/queries/alerts.js'
import { idIn } from '../api/uri.js'
import { useChange } from '../api/use-change.js'
import { Action } from '../form/form.js'
import { noValue } from '../format/numbers.js'
import { Loaded } from '../state/loaded.js'
import { State } from '../state/state.js'
import { Time } from '../ui/age.js'
import { Facts } from '../ui/card.js'
import { Dialog } from '../ui/dialog.js'
import { t } from '../words/text.js'
import { aboutText, Severity } from './columns.js'

interface AlertDetailProps {
  readonly id: number
  readonly onClose: () => void
}

/** One problem: what it means, what to do, since when, on what, and who knows of it. */
export function AlertDetail({ id, onClose }: AlertDetailProps) {
  const found = useQuery(alertQuery(id))
  return (
    <Dialog
      open
      onClose={onClose}
      title={found.data?.code ?? t('alerts.one')}
      actions={found.data !== undefined && <Actions alert={found.data} />}
      wide
    >
      <Loaded query={found}>{(alert) => <Body alert={alert} />}</Loaded>
    </Dialog>
  )
}

function Body({ alert }: { readonly alert: AlertRecord }) {
  return (
    <>
      <p className="alert-summary">{alert.summary}</p>
      <dl className="alert-advice">
        <Advice name={t('alerts.effect')} text={alert.effect} />
        <Advice name={t('alerts.remedy')} text={alert.remedy} />
      </dl>
      <p>
        <a href={pathOf(alert.doc)} target="_blank" rel="noreferrer">
          {t('alerts.doc', { code: alert.code })}
        </a>
      </p>
      <Facts facts={factsOf(alert)} />
    </>
  )
}

/** A sentence of the server with its heading; nothing where it has none. */
function Advice({ name, text }: { readonly name: string; readonly text: string }) {
  if (text === '') return null
  return (
    <div>
      <dt>{name}</dt>
      <dd>{text}</dd>
    </div>
  )
}

function factsOf(alert: AlertRecord): Parameters<typeof Facts>[0]['facts'] {
  return [
    [t('alerts.severity'), <Severity key="s" severity={alert.severity} />],
    [t('nodes.state'), <State key="t" state={alert.state} />],
    [t('alerts.on'), aboutText(alert) || noValue],
    [t('alerts.started'), <Time key="a" at={alert.started_at} />],
    [t('alerts.fired'), <Time key="f" at={alert.fired_at} />],
    ...(alert.resolved_at === null ? [] : [[t('alerts.resolved'), <Time key="r" at={alert.resolved_at} />] as const]),
    ...(alert.value === null ? [] : [[t('alerts.value'), valueText(alert)] as const]),
    ...(alert.silenced ? [[t('alerts.silencedUntil'), <Time key="u" at={alert.silenced_until} />] as const] : []),
    ...(alert.acknowledged ? [[t('alerts.by'), <Known key="k" alert={alert} />] as const] : []),
  ]
}

function valueText({ value, threshold }: AlertRecord): string {
  if (threshold === null) return String(value)
  return t('alerts.ofThreshold', { value: String(value), threshold: String(threshold) })
}

function Known({ alert: { acknowledged_by: name, acknowledged_at: at } }: { readonly alert: AlertRecord }) {
  return (
    <>
      {name} · <Time at={at} />
    </>
  )
}

function Actions({ alert }: { readonly alert: AlertRecord }) {
  const { id, acknowledged, state, code, hostname, node, subject } = alert
  const ofNode = node === null ? {} : { node: hostname, node_id: String(idIn(node)) }
  const change = useChange('alerts', () => rpc.alerts.change.mutate({ id, change: { acknowledged: !acknowledged } }))
  if (state === 'resolved') return null
  return (
    <>
      {change.error !== null && <p className="banner bad">{errorText(change.error)}</p>}
      <Link className="btn" to="/alerts/silences" search={{ add: 'yes', code, subject, ...ofNode }}>
        {t('alerts.silence')}
      </Link>
      <Action
        kind={acknowledged ? 'ghost' : 'primary'}
        isBusy={change.isPending}
        onClick={() => change.mutate(undefined)}
      >
        {t(acknowledged ? 'alerts.unacknowledge' : 'alerts.acknowledge')}
      </Action>
    </>
  )
}
