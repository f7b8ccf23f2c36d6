import { rpc } from '../../api/client.js'
import type { RuleRecord } from '../../api/queries/alerts.js'
import { Action } from '../../form/form.js'
import { RemoveAction } from '../../form/remove-action.js'
import { duration } from '../../format/time.js'
import { PlainTable } from '../../list/plain-table.js'
import { Empty } from '../../ui/empty.js'
import { Bell } from '../../ui/icons.js'
import { StateMark } from '../../ui/state-mark.js'
import { t } from '../../words/text.js'
import { Severity } from '../columns.js'
import { Scope } from './scope.js'

interface RuleTableProps {
  readonly list: readonly RuleRecord[]
  readonly onChange: (id: number) => void
}

/** What was changed of the alerts of each code. */
export function RuleTable({ list, onChange }: RuleTableProps) {
  if (list.length === 0)
    return (
      <div className="card">
        <Empty icon={Bell} title={t('rules.none')} next={t('rules.none.next')} />
      </div>
    )
  const headings = (['code', 'cluster', 'state', 'severity', 'for', 'comment', 'actions'] as const).map((name) =>
    t(`rules.${name}`),
  )
  return (
    <PlainTable label={t('rules.ofChecks')} headings={headings}>
      {list.map((rule) => (
        <Row key={rule.id} rule={rule} onChange={onChange} />
      ))}
    </PlainTable>
  )
}

interface RowProps {
  readonly rule: RuleRecord
  readonly onChange: (id: number) => void
}

function Row({ rule, onChange }: RowProps) {
  const { id, code, cluster, enabled, severity, for_seconds: seconds, comment, set } = rule
  return (
    <tr>
      <th scope="row">
        <b className="mono">{code}</b>
        {set !== undefined && <p className="muted small">{t('rules.ofSet', { set })}</p>}
      </th>
      <td>
        <Scope cluster={cluster} />
      </td>
      <td>
        <StateMark tone={enabled ? 'ok' : 'mute'} label={t(enabled ? 'rules.on' : 'rules.off')} />
      </td>
      <td>{severity === null ? t('rules.asCheck') : <Severity severity={severity} />}</td>
      <td>{seconds === null ? t('rules.asCheck') : duration(seconds)}</td>
      <td>{comment}</td>
      <td>
        <div className="row-actions">
          <Action small onClick={() => onChange(id)}>
            {t('rules.change')}
          </Action>
          <RemoveAction
            topic="alerts"
            remove={() => rpc.alertRules.remove.mutate({ id })}
            title={t('rules.remove.title', { code })}
            action={t('rules.remove.action')}
            effect={t('rules.remove.effect', { code })}
            done={t('rules.removed', { code })}
          />
        </div>
      </td>
    </tr>
  )
}
