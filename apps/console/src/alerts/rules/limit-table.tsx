import { rpc } from '../../api/client.js'
import type { LimitRecord } from '../../api/queries/alerts.js'
import { Action } from '../../form/form.js'
import { RemoveAction } from '../../form/remove-action.js'
import { duration } from '../../format/time.js'
import { PlainTable } from '../../list/plain-table.js'
import { Empty } from '../../ui/empty.js'
import { Gauge } from '../../ui/icons.js'
import { StateMark } from '../../ui/state-mark.js'
import { t } from '../../words/text.js'
import { Severity } from '../columns.js'
import { Scope } from './scope.js'

interface LimitTableProps {
  readonly list: readonly LimitRecord[]
  readonly onChange: (id: number) => void
}

/** Limits of metrics, beyond which alerts begin. */
export function LimitTable({ list, onChange }: LimitTableProps) {
  if (list.length === 0)
    return (
      <div className="card">
        <Empty icon={Gauge} title={t('limits.none')} next={t('limits.none.next')} />
      </div>
    )
  const headings = [
    ...(['name', 'metric', 'limit'] as const).map((name) => t(`limits.${name}`)),
    ...(['for', 'severity', 'cluster', 'state', 'actions'] as const).map((name) => t(`rules.${name}`)),
  ]
  return (
    <PlainTable label={t('limits.title')} headings={headings}>
      {list.map((limit) => (
        <Row key={limit.id} limit={limit} onChange={onChange} />
      ))}
    </PlainTable>
  )
}

interface RowProps {
  readonly limit: LimitRecord
  readonly onChange: (id: number) => void
}

function Row({ limit, onChange }: RowProps) {
  const { id, name, metric, level, cluster, for_seconds: seconds, severity, enabled, comment, set } = limit
  const { comparison, threshold, end_threshold: end } = limit
  return (
    <tr>
      <th scope="row">
        <b>{name}</b>
        {comment !== '' && <p className="muted small">{comment}</p>}
        {set !== undefined && <p className="muted small">{t('rules.ofSet', { set })}</p>}
      </th>
      <td>
        <span className="mono small">{metric}</span>
        <p className="muted small">{t(`limits.level.${level}`)}</p>
      </td>
      <td>
        {t(`limits.shown.${comparison}`, { limit: threshold })}
        {end !== null && <p className="muted small">{t('limits.shownEnd', { limit: end })}</p>}
      </td>
      <td>{duration(seconds)}</td>
      <td>
        <Severity severity={severity} />
      </td>
      <td>
        <Scope cluster={cluster} />
      </td>
      <td>
        <StateMark tone={enabled ? 'ok' : 'mute'} label={t(enabled ? 'ui.enabled' : 'ui.disabled')} />
      </td>
      <td>
        <div className="row-actions">
          <Action small onClick={() => onChange(id)}>
            {t('rules.change')}
          </Action>
          <RemoveAction
            topic="alerts"
            remove={() => rpc.alertMetricRules.remove.mutate({ id })}
            title={t('limits.remove.title', { name })}
            action={t('limits.remove.action')}
            effect={t('limits.remove.effect')}
            done={t('limits.removed', { name })}
          />
        </div>
      </td>
    </tr>
  )
}
